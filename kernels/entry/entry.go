// Package entry generates the files that define kernels, from one table: each kernel is a line that combines an app, a
// selector and a driver. The files are in kernels/entries; `go test ./kernels/entry -write` generates them again.
//
// It is internal to this module; it is beside the kernel sources that it concerns.
package entry

import (
	"fmt"
	"slices"
	"strings"
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
		switch k.Threads {
		case Full:
			fmt.Fprintf(&b, "ND_KERNEL_FULL(%s, %s) { %s; }\n", k.Name, k.Parameter, k.Call)
		case 0:
			fmt.Fprintf(&b, "ND_KERNEL(%s, %s) { %s; }\n", k.Name, k.Parameter, k.Call)
		default:
			fmt.Fprintf(&b, "ND_KERNEL_OF(%d, %s, %s) { %s; }\n", k.Threads, k.Name, k.Parameter, k.Call)
		}
	}
	return b.String()
}
