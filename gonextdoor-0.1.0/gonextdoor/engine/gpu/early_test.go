package gpu_test

import (
	"slices"
	"testing"
	"unsafe"

	"gonextdoor/gonextdoor/apps"
	"gonextdoor/gonextdoor/engine/gpu"
	"gonextdoor/gonextdoor/graph/graphtest"
	"gonextdoor/gonextdoor/plan"
)

// Results that are returned before their lengths are known equal those of Ragged: if the expected size was right, if samples
// continue after the first step chunk, and if a result is freed before it is settled.
func TestEarlyResults(t *testing.T) {
	d, g := device(t), graphtest.Thicket(true)
	p, err := plan.New(&apps.PPR{Stop: 0.1}, g, 1)
	if err != nil {
		t.Fatal(err)
	}
	b := plan.Batch{Seed: 3, Edges: true, Roots: plan.Roots{Count: g.NumVertices(), Width: 1, Repeat: 5}}
	want, err := gpu.Engine{Device: d}.Ragged(p, g, b, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer want.Return()
	for _, tuning := range []gpu.Tuning{{}, {ChunkSteps: 4}, {ChunkSteps: 30}} {
		e := gpu.Engine{Device: d, Early: true, Tuning: tuning}
		var results []*gpu.Result
		for range 4 {
			r, err := e.Run(p, g, b, nil)
			if err != nil {
				t.Fatal(err)
			}
			results = append(results, r)
		}
		if results[3].Settled() || !results[0].Settled() {
			t.Error("the last result is settled, or the first is not")
		}
		for i, r := range results {
			if i == 2 { // freed without Settle
				if err := r.Free(); err != nil {
					t.Error(err)
				}
				continue
			}
			if err := r.Settle(); err != nil {
				t.Fatal(err)
			}
			vertices, edges := make([]uint32, r.Total), make([]int64, r.Total)
			err := d.Do(func() error {
				if err := d.CopyOut(unsafe.Pointer(unsafe.SliceData(vertices)), r.Vertices.Address, int64(4*r.Total), r.Stream); err != nil {
					return err
				}
				if err := d.CopyOut(unsafe.Pointer(unsafe.SliceData(edges)), r.Edges.Address, int64(8*r.Total), r.Stream); err != nil {
					return err
				}
				return r.Stream.Synchronize()
			})
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(vertices, want.Vertices) || !slices.Equal(edges, want.Edges) {
				t.Errorf("%+v, result %d: %d vertices, expected %d", tuning, i, r.Total, len(want.Vertices))
			}
			if err := r.Free(); err != nil {
				t.Error(err)
			}
		}
	}
}
