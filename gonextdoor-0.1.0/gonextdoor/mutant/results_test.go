package mutant

import (
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"text/tabwriter"
)

// resultsFolder names the environment variable with the folder that runs in full write their results to: make mutants sets it.
const resultsFolder = "GONEXTDOOR_MUTANTS"

// The columns of results: failed counts the checks that failed, killed by names the first check or test that did.
var (
	columns        = []string{"mutant", "source", "killed by", "evidence"}
	countedColumns = []string{"mutant", "source", "failed", "killed by", "evidence"}
)

// results collects a row per killed mutant.
type results struct{ rows [][]string }

// newResults returns empty results. After the test they are printed if it is verbose. If it passed, is not short, and
// resultsFolder is set, they replace the file of that name.
func newResults(t *testing.T, name string, header []string) *results {
	t.Helper()
	r := &results{rows: [][]string{header}}
	t.Cleanup(func() {
		if testing.Verbose() {
			r.print()
		}
		if folder := os.Getenv(resultsFolder); folder != "" && !testing.Short() && !t.Failed() {
			if err := r.write(filepath.Join(folder, name+".csv")); err != nil {
				t.Error(err)
			}
		}
	})
	return r
}

func (r *results) add(cells ...string) { r.rows = append(r.rows, cells) }

func (r *results) print() {
	out := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	defer out.Flush()
	for _, row := range r.rows {
		fmt.Fprintln(out, strings.Join(row, "\t"))
	}
}

func (r *results) write(path string) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	defer file.Close()
	return csv.NewWriter(file).WriteAll(r.rows)
}
