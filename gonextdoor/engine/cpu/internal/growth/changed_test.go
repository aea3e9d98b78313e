//go:build cgo && linux

package growth_test

import (
	"strings"
	"testing"

	"gonextdoor/gonextdoor/app/program"
	"gonextdoor/gonextdoor/engine/cpu"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/hook/hooktest"
	"gonextdoor/gonextdoor/plan"
)

// A row of 2^63 edges or more, as a file may have that changes while samples are made, is an error: no hook is called for more
// edges than it has room for.
func TestRowsOfAChangedFile(t *testing.T) {
	const whole = plan.HookedRows + 9 // edges of the row before: it fills the memory of the hook's results
	const more = 2 * plan.HookedRows  // edges of the row, modulo 2^32
	for _, degree := range []uint64{1<<63 + more, 3<<62 + more, 1<<40 + more} {
		g := &graph.Graph{Indptr: []uint64{0, whole, whole + 1}, Indices: hooktest.Cut(t)[:whole+1]}
		a := &program.Custom{StepProgram: program.StepProgram{Steps: 1, Fanouts: []int{1}}, Kernels: hooktest.Ends()}
		p, err := plan.New(a, g, 1)
		if err == nil {
			err = p.BuildTables(p.Graph, graph.Options{})
		}
		if err != nil {
			t.Fatal(err)
		}
		g.Indptr[2] = whole + degree
		b := plan.Batch{Roots: plan.Roots{Count: 2, Width: 1, Repeat: 1}, Threads: 1}
		if err := (cpu.Engine{}).Matrix(p, g, b, matrixOf(p, b), nil); err == nil || !strings.Contains(err.Error(), "memory that is not there") {
			t.Errorf("a row of %d edges: got %v", degree, err)
		}
	}
}
