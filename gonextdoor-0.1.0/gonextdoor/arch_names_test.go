package gonextdoor_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Words that no name may contain. docs/glossary.md has the terms to use.
var discouraged = map[string][]string{
	// Words that are true of any code. They are refused in names of files and folders.
	"empty": strings.Fields("util utils common helper helpers manager misc v2 old new experimental"),
	// Everyday words for which there is a term. They are refused in every declared name, as one of its words.
	"word": strings.Fields(`
		crew crowd crowded foresight farthest roster plots stamps lay laid laying woven leg legs tally tallies hands loan asker
		deplete leap leaping hung topscale inorder adopt`),
	// Words that are clear within a longer name. They are refused as the complete name of a type, class, file or folder.
	"complete": strings.Fields(`
		met taken before spread drawn whole due room rooms strange narrow apart remains ring turn branches grown grows
		watched rule rules told tell facts kept own numbers several short stand land given survey zeros places inherit`),
}

// name is a declared name of the source tree.
type name struct {
	text, kind string // kind: path, type, or other
}

var (
	wordPattern  = regexp.MustCompile(`[A-Z]+[0-9]*(?:[^A-Za-z]|$)|[A-Z]?[a-z]+|[A-Z]+`)
	pythonNames  = regexp.MustCompile(`(?m)^\s*(class|def) +(\w+)`)
	kernelNames  = regexp.MustCompile(`(?m)^\s*(?:template *<.*> *)?(struct|class|ND_FN \S+|ND_KERNEL|__global__ void) +(\w+)`)
	pythonKinds  = []string{".py", ".pyi"}
	kernelKinds  = []string{".cu", ".cuh", ".cc", ".h"}
	testPrefixes = []string{"Test", "Benchmark", "Fuzz", "Example", "test_"} // names that are sentences
)

// words splits a name in CamelCase or snake_case into its words, in lower case.
func words(text string) (all []string) {
	for _, w := range wordPattern.FindAllString(text, -1) {
		all = append(all, strings.ToLower(strings.Trim(w, "_.-")))
	}
	return all
}

// fault describes what is wrong with a name, or returns "".
func (n name) fault() string {
	all := words(n.text)
	for _, w := range all {
		if n.kind == "path" && slices.Contains(discouraged["empty"], w) {
			return fmt.Sprintf("%q says nothing", w)
		}
		if slices.Contains(discouraged["word"], w) {
			return fmt.Sprintf("%q has a term in docs/glossary.md", w)
		}
	}
	if n.kind != "other" && len(all) == 1 && slices.Contains(discouraged["complete"], all[0]) {
		return fmt.Sprintf("%q alone does not say what it is", all[0])
	}
	return ""
}

// declared returns the names that a Go file declares: functions, methods, types, their fields, variables and constants.
func declared(file *ast.File) (all []name) {
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			all = append(all, name{n.Name.Name, "other"})
		case *ast.TypeSpec:
			all = append(all, name{n.Name.Name, "type"})
		case *ast.ValueSpec:
			for _, i := range n.Names {
				all = append(all, name{i.Name, "other"})
			}
		case *ast.Field:
			for _, i := range n.Names {
				all = append(all, name{i.Name, "other"})
			}
		}
		return true
	})
	return all
}

// matched returns the names that a pattern finds in a text: of classes and structs, and others.
func matched(text []byte, pattern *regexp.Regexp) (all []name) {
	for _, m := range pattern.FindAllSubmatch(text, -1) {
		kind := "other"
		if first := string(m[1]); first == "class" || first == "struct" {
			kind = "type"
		}
		all = append(all, name{string(m[2]), kind})
	}
	return all
}

// namesOf returns the names that a file of the source tree declares, and those in its path.
func namesOf(within string, text []byte) (all []name, err error) {
	for _, part := range strings.Split(within, "/") {
		all = append(all, name{strings.TrimSuffix(part, path.Ext(part)), "path"})
	}
	switch kind := path.Ext(within); {
	case kind == ".go":
		file, err := parser.ParseFile(token.NewFileSet(), within, text, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		all = append(all, declared(file)...)
	case slices.Contains(pythonKinds, kind):
		all = append(all, matched(text, pythonNames)...)
	case slices.Contains(kernelKinds, kind):
		all = append(all, matched(text, kernelNames)...)
	}
	return slices.DeleteFunc(all, func(n name) bool {
		return n.kind == "other" && slices.ContainsFunc(testPrefixes, func(p string) bool { return strings.HasPrefix(n.text, p) })
	}), nil
}

func TestNamesSayWhat(t *testing.T) {
	walk(t, func(within string) {
		if strings.HasPrefix(within, "kernels/bin/") {
			return // build outputs
		}
		text, err := os.ReadFile(filepath.Join("..", within))
		if err != nil {
			t.Fatal(err)
		}
		all, err := namesOf(within, text)
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range all {
			if f := n.fault(); f != "" {
				t.Errorf("%s: %s: %s", within, n.text, f)
			}
		}
	})
}

// Planted names are found, in each language and of each kind; good names of the same shape are not.
func TestDiscouragedNamesAreFound(t *testing.T) {
	for _, c := range []struct {
		within, text string
		faults       int
	}{
		{"gonextdoor/engine/crew.go", "package engine", 1},
		{"gonextdoor/graph_utils/rows.go", "package rows", 1},
		{"gonextdoor/own/rows.go", "package own", 1},
		{"gonextdoor/graph/ownrows.go", "package graph", 0},
		{"gonextdoor/a.go", "package a\ntype Drawn struct{ x int }", 1},
		{"gonextdoor/a.go", "package a\ntype drawnRows struct{ legs, rows int }", 1},
		{"gonextdoor/a.go", "package a\nfunc (x X) MakeCrowd(hands int) {}", 2},
		{"gonextdoor/a.go", "package a\nfunc drawn(layer, legend int) {}", 0},
		{"python/gonextdoor/a.py", "class _Rule:\n    def lay_out(self) -> None: ...", 2},
		{"python/gonextdoor/a.py", "class Layer:\n    def layout(self) -> None: ...", 0},
		{"kernels/driver/a.cuh", "template <u32 N> struct Due {};\nND_FN u32 leap(u32 x);", 2},
		{"kernels/driver/a.cuh", "struct DueRows {};\nND_FN u32 teleport(u32 x);", 0},
	} {
		all, err := namesOf(c.within, []byte(c.text))
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for _, x := range all {
			if x.fault() != "" {
				n++
			}
		}
		if n != c.faults {
			t.Errorf("%s, %q: %d discouraged names found, %d planted", c.within, c.text, n, c.faults)
		}
	}
}
