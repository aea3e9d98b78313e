// Package entry writes the entries of kernels: from one table come the few lines that combine an app, a selector and a
// driver. The files are kept in kernels/entries; `go test ./kernels/entry -write` writes them again.
//
// It is internal to this module; it is beside the kernel sources that it concerns.
package entry

import (
	"fmt"
	"slices"
	"strings"
)

// Text is the file's text.
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
