package entry_test

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"gonextdoor/kernels/entry"
)

var write = flag.Bool("write", false, "write the entries instead of comparing them")

func TestEntriesAreThoseOfTheTable(t *testing.T) {
	names := map[string]string{}
	check(t, "entries", entry.Table(), names)
	check(t, "testkernels", entry.TestTable(), names)
}

// check compares the files of a folder with their table. names are the kernels so far, with their files.
func check(t *testing.T, folder string, files []entry.File, names map[string]string) {
	t.Helper()
	for _, f := range files {
		path := filepath.Join("..", folder, f.Name+".cu")
		for _, k := range f.Kernels {
			if other, ok := names[k.Name]; ok {
				t.Errorf("two kernels are called %s: in %s and %s", k.Name, other, f.Name)
			}
			names[k.Name] = f.Name
		}
		if *write {
			if err := os.WriteFile(path, []byte(f.Text()), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Error(err)
		} else if string(text) != f.Text() {
			t.Errorf("%s differs from the table: run go test ./kernels/entry -write", path)
		}
	}
}
