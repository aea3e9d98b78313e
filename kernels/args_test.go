package kernels

import (
	"flag"
	"fmt"
	"go/format"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var write = flag.Bool("write", false, "write args.go instead of comparing it")

const head = `package kernels

// The parameters of kernels, which go test ./kernels -write makes of core/args.cuh: fields of 8 bytes, an address of what
// is not there is 0.

`

// wide are the types of 8 bytes that fields of parameters have, besides addresses and the structs before.
var wide = []string{"u64", "i64", "f64"}

func TestParametersAreThoseOfTheKernels(t *testing.T) {
	made, err := format.Source([]byte(head + parameters(t, Sources()["core/args.cuh"])))
	if err != nil {
		t.Fatal(err)
	}
	if *write {
		if err := os.WriteFile("args.go", made, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if is, err := os.ReadFile("args.go"); err != nil || string(is) != string(made) {
		t.Errorf("args.go differs from core/args.cuh: run go test ./kernels -write (%v)", err)
	}
}

// parameters writes the structs of a .cuh file as Go's.
func parameters(t *testing.T, text string) string {
	var out strings.Builder
	var structs []string
	for _, m := range regexp.MustCompile(`(?s)((?://[^\n]*\n)*)struct (\w+) \{\n(.*?)\n\};`).FindAllStringSubmatch(text, -1) {
		fmt.Fprintf(&out, "%stype %s struct {\n", m[1], m[2])
		for line := range strings.SplitSeq(m[3], "\n") {
			declaration, comment, _ := strings.Cut(line, "//")
			if declaration = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(declaration), ";")); declaration != "" {
				out.WriteString(field(t, structs, declaration))
			}
			if comment != "" {
				out.WriteString(" //" + comment)
			}
			out.WriteString("\n")
		}
		out.WriteString("}\n\n")
		structs = append(structs, m[2])
	}
	return out.String()
}

func field(t *testing.T, structs []string, declaration string) string {
	typ, rest, _ := strings.Cut(strings.TrimPrefix(declaration, "const "), " ")
	var names []string
	for name := range strings.SplitSeq(rest, ",") {
		names = append(names, exported(strings.TrimSpace(name)))
	}
	list := strings.Join(names, ", ")
	switch {
	case slices.Contains(structs, typ):
		return list + " " + typ
	case !strings.HasSuffix(typ, "*") && !slices.Contains(wide, typ):
		t.Errorf("args.cuh: %s has not 8 bytes", declaration)
	}
	return list + " uint64"
}

// exported writes a name as Go does: to_vertices is ToVertices.
func exported(name string) string {
	var out strings.Builder
	for word := range strings.SplitSeq(name, "_") {
		if word == "id" || word == "ids" {
			out.WriteString("ID" + word[2:])
		} else {
			out.WriteString(strings.ToUpper(word[:1]) + word[1:])
		}
	}
	return out.String()
}

func TestSourcesAreByTheirIncludeNames(t *testing.T) {
	include := regexp.MustCompile(`(?m)^#include "([^"]+)"`)
	all := Sources()
	if len(all) < 5 {
		t.Fatalf("only %d files", len(all))
	}
	for name, text := range all {
		for _, m := range include.FindAllStringSubmatch(text, -1) {
			if _, ok := all[m[1]]; !ok {
				t.Errorf("%s includes %s, which is no file of kernels", name, m[1])
			}
		}
	}
}
