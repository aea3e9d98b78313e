// Package entry generates the files that define kernels, from one table: each kernel is a line that combines an app, a
// selector and a driver. The files are in kernels/entries; `go test ./kernels/entry -write` generates them again.
//
// It is internal to this module; it is beside the kernel sources that it concerns.
package entry

import (
	"fmt"
	"slices"
	"strings"
	"sync"
)

// Text returns the text of the file: its includes, then its kernels.
func (f File) Text() string {
	var b strings.Builder
	b.WriteString("// Written by package kernels/entry from its table.\n")
	includes := slices.Clone(f.Includes)
	slices.Sort(includes)
	for _, i := range slices.Compact(includes) {
		fmt.Fprintf(&b, "#include %q\n", i)
	}
	b.WriteString("\nusing namespace nd;\n\n")
	for _, k := range f.Kernels {
		b.WriteString(k.text())
	}
	return b.String()
}

// text returns the definition of the kernel, in the form that clang-format gives it.
func (k Kernel) text() string {
	head := fmt.Sprintf("ND_KERNEL_OF(%d, %s, %s)", k.Threads, k.Name, k.Parameter)
	switch k.Threads {
	case Full:
		head = fmt.Sprintf("ND_KERNEL_FULL(%s, %s)", k.Name, k.Parameter)
	case Tiled:
		head = fmt.Sprintf("ND_KERNEL_TILED(%s, %s)", k.Name, k.Parameter)
	case 0:
		head = fmt.Sprintf("ND_KERNEL(%s, %s)", k.Name, k.Parameter)
	}
	line := fmt.Sprintf("%s { %s; }\n", head, k.Call)
	if len(line) > columns+1 {
		return fmt.Sprintf("%s {\n  %s;\n}\n", head, k.Call)
	}
	return line
}

// Block returns the largest number of threads per block.
func (k Kernel) Block() int {
	if k.Threads > 0 {
		return k.Threads
	}
	return 256
}

// found is a kernel with the name of its file.
type found struct {
	file string
	Kernel
}

// index has all kernels of entries by their names.
var index = sync.OnceValue(func() map[string]found {
	all := map[string]found{}
	for _, f := range Table() {
		for _, k := range f.Kernels {
			all[k.Name] = found{f.Name, k}
		}
	}
	return all
})

// Find returns the kernel of entries that has a name, and the name of its file, which is that of its image.
func Find(name string) (file string, k Kernel, ok bool) {
	f, ok := index()[name]
	return f.file, f.Kernel, ok
}

// columns is the length of the longest line, as in .clang-format.
const columns = 120
