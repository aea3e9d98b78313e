package gonextdoor_test

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gonextdoor/gonextdoor/internal/stattest"
)

const module = "gonextdoor"

// row is a package and the packages of this module that it may import.
type row struct {
	folder  string
	imports []string
}

// allowed lists the packages of this module that each package may import, except in tests. Imports run one way, from top to
// bottom: a package may only import packages of later rows. A new package needs a row, a new import a reason.
var allowed = []row{
	{"benchmarks/native", []string{"file", "app/program", "app", "selector", "graph/index", "graph", "rng", "parallel"}},
	{"pybind", []string{
		"pybind/record", "gonextdoor", "partition", "doctor", "engine/neighborbatch", "engine/cpu/induced", "engine/gpu/resident", "engine",
		"feature", "file", "plan", "output/view", "output", "roots", "apps", "app/program", "app", "hook", "graph/owner", "graph/build",
		"graph/index", "graph", "offheap", "parallel", "job", "dlpack", "cuda", "kernels/entry", "kernels", "refuse",
	}},
	{"pybind/record", nil},
	{"gonextdoor", []string{
		"engine/visits", "engine/matrix64", "engine/sharded", "engine/pagerank", "engine/cpu", "engine/gpu/backend", "engine",
		"feature", "plan", "output", "app", "graph/index", "graph", "parallel", "job", "refuse",
	}},
	{"partition", []string{
		"engine/neighborbatch", "engine/cpu/neighbor", "engine/cpu/stage", "file", "plan", "output", "apps", "app/program", "app",
		"selector", "graph/build", "graph/index", "graph", "rng", "offheap", "parallel", "job", "refuse",
	}},
	{"doctor", []string{"rng", "cuda", "kernels", "refuse"}},
	{"mutant", nil},
	{"engine/neighborbatch", []string{
		"engine/cpu/neighbor", "engine/cpu/idmap", "engine", "plan", "output", "roots", "app", "graph/index", "graph", "parallel", "job", "refuse",
	}},
	{"engine/visits", []string{"engine", "plan", "output/view", "output", "graph", "parallel", "job"}},
	{"engine/matrix64", []string{"engine", "plan", "output", "graph", "offheap", "parallel", "job"}},
	{"engine/sharded", []string{"engine", "plan", "output", "graph", "parallel", "job"}},
	{"engine/pagerank", []string{"engine", "plan", "output", "app", "graph/index", "graph", "parallel", "job", "refuse"}},
	{"engine/cpu", []string{
		"engine/cpu/internal/walk", "engine/cpu/internal/subgraph", "engine/cpu/internal/tree", "engine/cpu/internal/pagerank", "engine/cpu/internal/growth", "engine/cpu/internal/run",
		"engine/persample", "plan", "output", "app", "graph", "job",
	}},
	{"engine/cpu/internal/walk", []string{
		"engine/cpu/internal/run", "engine/cpu/internal/buffer", "engine/persample", "engine/cpu/stage", "plan", "output",
		"app/program", "app", "selector", "graph/index", "graph", "rng", "parallel", "job", "refuse",
	}},
	{"engine/cpu/internal/subgraph", []string{
		"engine/cpu/induced", "engine/cpu/internal/rowaccess", "engine/cpu/idmap", "engine/cpu/internal/buffer", "engine/cpu/stage",
		"engine/persample", "plan", "app", "selector", "graph/index", "graph", "rng",
	}},
	{"engine/cpu/internal/tree", []string{
		"engine/cpu/internal/run", "engine/cpu/internal/rowaccess", "engine/cpu/stage", "plan", "output", "app", "graph", "rng", "parallel", "job",
	}},
	{"engine/cpu/internal/pagerank", []string{
		"engine/cpu/internal/run", "engine/cpu/internal/buffer", "engine/cpu/stage", "plan", "output", "app", "graph/index", "graph", "rng",
		"parallel", "job",
	}},
	{"engine/cpu/neighbor", []string{
		"engine/cpu/internal/rowaccess", "engine/cpu/idmap", "engine/cpu/stage", "plan", "output", "app", "selector", "graph/index", "graph",
		"rng", "parallel", "job", "refuse",
	}},
	{"engine/cpu/internal/cputest", []string{"graph/graphtest", "graph/build", "graph", "rng", "offheap"}},
	{"engine/cpu/internal/growth", []string{
		"engine/cpu/internal/run", "engine/cpu/internal/rowaccess", "engine/cpu/idmap", "engine/cpu/internal/buffer", "engine/persample",
		"engine/cpu/stage", "plan", "output", "app/program", "app", "hook", "selector", "graph/index", "graph", "rng", "offheap",
		"parallel", "job", "refuse",
	}},
	{"engine/cpu/induced", []string{
		"engine/cpu/internal/rowaccess", "engine/cpu/internal/buffer", "engine/cpu/stage", "plan", "graph/index", "graph", "parallel",
		"refuse",
	}},
	{"engine/cpu/internal/run", []string{"engine/cpu/stage", "plan", "app", "graph", "rng", "parallel", "job"}},
	{"engine/cpu/internal/rowaccess", []string{"engine/cpu/internal/buffer", "engine/cpu/stage", "plan", "app", "selector", "graph/index", "graph", "rng"}},
	{"engine/cpu/idmap", []string{"engine/cpu/internal/buffer", "engine/cpu/stage", "plan", "rng", "offheap"}},
	{"engine/cpu/internal/buffer", []string{"app", "offheap", "job"}},
	{"engine/serial", []string{"engine/persample", "plan", "output", "app", "graph", "parallel", "job"}},
	{"engine/persample", []string{"plan", "output", "app", "graph", "rng", "offheap", "parallel", "job", "refuse"}},
	{"engine/gpu/backend", []string{
		"engine/gpu", "engine/gpu/internal/neighbor", "engine/gpu/internal/launch", "engine/gpu/features", "engine/gpu/transfer",
		"engine/gpu/resident", "engine", "plan", "output", "app/program", "app", "graph/index", "graph", "offheap",
		"parallel", "job", "refuse", "dlpack", "cuda", // index: tables of samples that the CPU makes instead
	}},
	{"engine/gpu/gputest", []string{"engine/gpu", "engine/gpu/internal/launch", "engine/gpu/features", "plan", "output", "app", "selector", "graph", "rng", "job", "cuda/cudatest", "cuda", "kernels/testkernels", "kernels/function", "kernels"}},
	{"engine/gpu", []string{
		"engine/gpu/internal/layered", "engine/gpu/internal/tree", "engine/gpu/internal/walk", "engine/gpu/internal/parts",
		"engine/gpu/internal/neighbor", "engine/gpu/internal/rank", "engine/gpu/internal/launch", "engine/gpu/resident", "engine",
		"plan", "output", "app", "graph", "job",
	}},
	{"engine/gpu/internal/layered", []string{
		"engine/gpu/internal/walk", "engine/gpu/internal/parts", "engine/gpu/internal/launch", "engine/gpu/resident", "plan",
		"app/program", "app", "graph/index", "graph", "cuda", "kernels", "refuse",
	}},
	{"engine/gpu/internal/tree", []string{
		"engine/gpu/internal/walk", "engine/gpu/internal/parts", "engine/gpu/internal/launch", "engine/gpu/resident", "plan", "app",
		"cuda", "kernels", "refuse",
	}},
	{"engine/gpu/internal/walk", []string{
		"engine/gpu/internal/parts", "engine/gpu/internal/launch", "engine/gpu/resident", "plan", "app/program", "app", "hook",
		"graph", "job", "cuda", "kernels/function", "kernels", "refuse",
	}},
	{"engine/gpu/internal/parts", []string{
		"engine/gpu/internal/launch", "engine/gpu/resident", "plan", "app", "graph/index", "graph", "rng", "parallel", "job", "cuda",
		"kernels", "refuse",
	}},
	{"engine/gpu/internal/neighbor", []string{
		"engine/gpu/internal/launch", "engine/cpu/stage", "engine/gpu/resident", "plan", "output", "app", "graph/index", "graph",
		"parallel", "job", "cuda", "kernels/function", "kernels", "refuse",
	}},
	{"engine/gpu/internal/rank", []string{
		"engine/gpu/internal/launch", "engine/gpu/transfer", "engine/gpu/resident", "plan", "output", "app", "graph/index", "rng",
		"parallel", "job", "cuda", "kernels", "refuse",
	}},
	{"engine/gpu/internal/launch", []string{
		"engine/gpu/transfer", "engine/gpu/resident", "plan", "output", "graph", "rng", "parallel", "job", "cuda", "kernels/function", "kernels",
		"refuse",
	}},
	{"engine/gpu/features", []string{"engine/gpu/resident", "engine", "plan", "parallel", "job", "cuda", "kernels/function", "kernels", "refuse"}},
	{"engine/gpu/transfer", []string{"engine/gpu/resident", "engine", "plan", "parallel", "job", "cuda", "kernels/function", "kernels", "refuse", "internal/streamstore"}},
	{"engine/cpu/stage", []string{"plan", "app/program", "app", "selector", "graph/index", "graph", "rng"}},
	{"engine/gpu/resident", []string{"plan", "graph/index", "graph", "offheap", "parallel", "job", "cuda", "kernels/function", "kernels", "refuse"}},
	{"engine/enginetest", []string{
		"engine", "plan", "output", "apps", "app/program", "app", "hook/hooktest", "hook", "graph/graphtest", "graph/build",
		"graph/index", "graph", "rng", "offheap", "job", "refuse",
	}},
	{"engine", []string{"plan", "output", "app", "graph", "job", "refuse"}},
	{"feature", []string{"parallel", "job", "refuse", "internal/streamstore"}},
	{"file", []string{"file/internal/dialect", "graph/build", "graph/index", "graph/owner", "graph", "rng", "offheap", "parallel", "job", "refuse"}},
	{"file/internal/dialect", nil},
	{"plan", []string{"apps", "app/program", "app", "graph/index", "graph", "parallel", "refuse"}}, // parallel: the number of threads
	{"output/view", []string{"graph", "parallel"}},
	{"output", []string{"offheap"}},
	{"roots", []string{"graph", "parallel", "refuse", "internal/streamstore"}},
	{"app/apptest", []string{"apps", "app/program", "app", "graph/graphtest", "graph/index", "graph", "internal/stattest", "rng"}},
	{"apps", []string{"app/program", "app", "hook", "selector", "graph/index", "graph", "rng", "refuse"}},
	{"app/program", []string{"app", "hook", "selector", "graph/index", "graph", "rng", "refuse"}},
	{"app", []string{"hook", "selector", "graph/index", "graph", "rng", "refuse"}},
	{"hook/hooktest", []string{"hook"}},
	{"hook", []string{"graph/index", "graph", "internal/fault", "refuse"}},
	{"selector", []string{"graph/index", "rng"}},
	{"graph/graphtest", []string{"graph/build", "graph", "rng"}},
	{"graph/owner", []string{"graph", "rng", "refuse"}},
	{"graph/build", []string{"graph", "rng", "offheap", "parallel", "job", "refuse"}},
	{"graph/index", []string{"graph", "rng", "offheap", "parallel", "refuse"}},
	{"graph", []string{"rng", "offheap", "parallel", "job", "internal/fault", "refuse"}},
	{"internal/stattest", nil},
	{"internal/streamstore", nil},
	{"rng", nil},
	{"offheap", []string{"refuse"}},
	{"parallel", []string{"job", "refuse"}},
	{"job", []string{"refuse"}},
	{"cuda/cudatest", nil},
	{"dlpack", []string{"refuse"}},
	{"kernels/testkernels", []string{"kernels"}},
	{"kernels/function", []string{"cuda", "kernels/entry", "kernels", "refuse"}},
	{"kernels", []string{"kernels/entry", "refuse"}},
	{"cuda", []string{"refuse"}},
	{"internal/fault", nil},
	{"refuse", nil},
	{"kernels/entry", nil},
}

// source is a Go file of the module.
type source struct {
	folder string // as in the table
	path   string
	test   bool
	file   *ast.File
	set    *token.FileSet
}

// folderOf names a package as the table does, given its path within the module.
func folderOf(within string) string {
	if within == "gonextdoor" {
		return within
	}
	return strings.TrimPrefix(within, "gonextdoor/")
}

// walk calls f with every file of the source tree, as its path within the module.
func walk(t *testing.T, f func(within string)) {
	t.Helper()
	root := os.DirFS("..")
	for _, top := range []string{"gonextdoor", "pybind", "kernels", "python", "tests", "benchmarks", "build_backend"} {
		err := fs.WalkDir(root, top, func(within string, d fs.DirEntry, err error) error {
			if err != nil {
				if within == top {
					return nil // the folder does not exist
				}
				return err
			}
			if d.IsDir() && (strings.HasPrefix(d.Name(), ".") || strings.HasPrefix(d.Name(), "_") || d.Name() == "testdata") {
				return fs.SkipDir
			}
			if !d.IsDir() {
				f(within)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// sources parses all Go files of the source tree.
func sources(t *testing.T) (all []source) {
	t.Helper()
	walk(t, func(within string) {
		if path.Ext(within) != ".go" {
			return
		}
		s := source{folder: folderOf(path.Dir(within)), path: within, test: strings.HasSuffix(within, "_test.go"), set: token.NewFileSet()}
		var err error
		if s.file, err = parser.ParseFile(s.set, filepath.Join("..", within), nil, parser.ParseComments|parser.SkipObjectResolution); err != nil {
			t.Fatal(err)
		}
		all = append(all, s)
	})
	if len(all) < 50 {
		t.Fatalf("only %d Go files found", len(all))
	}
	return all
}

// imports returns the paths of the imported packages.
func (s source) imports() (paths []string) {
	for _, i := range s.file.Imports {
		paths = append(paths, strings.Trim(i.Path.Value, `"`))
	}
	return paths
}

func TestImportsRunOneWay(t *testing.T) {
	rows := map[string][]string{}
	seen := map[string]bool{}
	for i, r := range allowed {
		rows[r.folder] = r.imports
		for _, to := range r.imports {
			if !slices.ContainsFunc(allowed[i+1:], func(r row) bool { return r.folder == to }) {
				t.Errorf("the table lets %s import %s, which is not below it", r.folder, to)
			}
		}
	}
	for _, s := range sources(t) {
		seen[s.folder] = true
		permitted, ok := rows[s.folder]
		if !ok {
			t.Errorf("%s: package %s has no row in the table of imports", s.path, s.folder)
			continue
		}
		for _, imported := range s.imports() {
			within, ours := strings.CutPrefix(imported, module+"/")
			if to := folderOf(within); ours && !s.test && !slices.Contains(permitted, to) {
				t.Errorf("%s: %s may not import %s", s.path, s.folder, to)
			}
		}
	}
	for folder := range maps.Keys(rows) {
		if !seen[folder] {
			t.Errorf("the table has a row for %s, which is not a package", folder)
		}
	}
}

// All random numbers that affect a choice come from package rng.
func TestNoOtherRandomNumbers(t *testing.T) {
	names := []string{"gonextdoor/file/partial.go"} // names of temporary files
	for _, s := range sources(t) {
		for _, imported := range s.imports() {
			random := imported == "math/rand" || imported == "math/rand/v2" || imported == "crypto/rand"
			if random && !s.test && !slices.Contains(names, s.path) {
				t.Errorf("%s imports %s: random numbers come from package rng", s.path, imported)
			}
		}
	}
}

// The family-wise rate of false alarms (stattest) is computed for MaxTests tests, which the packages share.
func TestFamilyOfTests(t *testing.T) {
	total := int64(0)
	for _, budget := range stattest.Budgets {
		total += budget
	}
	if total > stattest.MaxTests {
		t.Errorf("the budgets of tests add up to %d: at most %d", total, stattest.MaxTests)
	}
	users := map[string]bool{}
	for _, s := range sources(t) {
		if s.test && slices.Contains(s.imports(), module+"/gonextdoor/internal/stattest") {
			users[s.folder] = true
		}
	}
	delete(users, "gonextdoor") // this test reads the budgets
	delete(users, "mutant")     // its tests fail on purpose, and those that must pass repeat app's draws
	for folder := range users {
		if stattest.Budgets[folder] == 0 {
			t.Errorf("%s has exact distribution tests: expected a budget in package stattest", folder)
		}
	}
}

// docstrings matches the docstrings of Python, which are statements.
var docstrings = regexp.MustCompile(`(?ms)^ *r?"""(.*?)"""`)

func TestFilesAreShort(t *testing.T) {
	kinds := []string{".go", ".s", ".h", ".cc", ".cu", ".cuh", ".py", ".pyi"}
	walk(t, func(within string) {
		if !slices.Contains(kinds, path.Ext(within)) {
			return
		}
		text, err := os.ReadFile(filepath.Join("..", within))
		if err != nil {
			t.Fatal(err)
		}
		n := bytes.Count(text, []byte("\n"))
		for _, docstring := range docstrings.FindAll(text, -1) { // they have examples, which make no code longer
			n -= bytes.Count(docstring, []byte("\n"))
		}
		if n > 400 {
			t.Errorf("%s has %d lines: a file has one noun, and 400 lines at most", within, n)
		}
	})
}

func TestFunctionsAreShort(t *testing.T) {
	for _, s := range sources(t) {
		for _, d := range s.file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || s.test { // a test may be one long table
				continue
			}
			n := s.set.Position(f.End()).Line - s.set.Position(f.Pos()).Line + 1
			if n > 60 {
				t.Errorf("%s: %s has %d lines: 60 at most", s.path, f.Name.Name, n)
			}
		}
	}
}
