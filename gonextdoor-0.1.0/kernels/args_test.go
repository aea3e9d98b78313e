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

var write = flag.Bool("write", false, "write the files of parameters instead of comparing them")

// head begins a generated file.
const head = `package %s

// The parameters of kernels, generated from %s by go test ./kernels -write: fields of 8 bytes. A missing array has the
// address 0.

`

// wide are the types of 8 bytes that fields of parameters have, besides addresses and the structs before.
var wide = []string{"u64", "i64", "f64"}

func TestParametersAreThoseOfTheKernels(t *testing.T) {
	structs := map[string]string{} // the names of those so far in Go
	for _, name := range []string{"args", "exchangeargs", "featureargs", "hostendsargs"} {
		from := "core/" + name + ".cuh"
		compare(t, name+".go", fmt.Sprintf(head, "kernels", from)+parameters(t, structs, Sources()[from]))
	}
	for name := range structs {
		structs[name] = "kernels." + name
	}
	text, err := os.ReadFile("testkernels/args.cuh")
	if err != nil {
		t.Fatal(err)
	}
	imports := "import \"gonextdoor/kernels\"\n\n"
	compare(t, "testkernels/args.go", fmt.Sprintf(head, "testkernels", "args.cuh")+imports+parameters(t, structs, string(text)))
}

// compare compares a generated file with its text, or writes it.
func compare(t *testing.T, path, text string) {
	t.Helper()
	made, err := format.Source([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if *write {
		if err := os.WriteFile(path, made, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if is, err := os.ReadFile(path); err != nil || string(is) != string(made) {
		t.Errorf("%s differs from the kernels' args.cuh: run go test ./kernels -write (%v)", path, err)
	}
}

// parameters writes the structs of a .cuh file as Go's, and adds their names to structs.
func parameters(t *testing.T, structs map[string]string, text string) string {
	var out strings.Builder
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
		structs[m[2]] = m[2]
	}
	return out.String()
}

func field(t *testing.T, structs map[string]string, declaration string) string {
	typ, rest, _ := strings.Cut(strings.TrimPrefix(declaration, "const "), " ")
	var names []string
	for name := range strings.SplitSeq(rest, ",") {
		names = append(names, exported(strings.TrimSpace(name)))
	}
	list := strings.Join(names, ", ")
	switch {
	case structs[typ] != "":
		return list + " " + structs[typ]
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
