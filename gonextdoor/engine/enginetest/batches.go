package enginetest

import (
	"fmt"
	"slices"
	"testing"
	"unsafe"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/offheap"
	"gonextdoor/gonextdoor/output"
)

// Batches draws mini-batches on a graph. Excluded edges are given by their ids.
type Batches interface {
	Blocks(m *app.MiniBatch, seed uint64, batch []uint32, excluded []int64, j *job.Job) (output.Blocks, error)
}

// NewBatches makes a drawer of mini-batches on a graph, and what gives its memory back.
type NewBatches func(g *graph.Graph) (b Batches, close func(), err error)

// RunBatches compares mini-batches with their definition, several from each drawer, so that one may spoil the next.
func RunBatches(t *testing.T, newBatches NewBatches) {
	for _, p := range graphs() {
		lent := offheap.Results.Out()
		b, close, err := newBatches(p.g)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range batchCases(p) {
			if err := c.Check(b); err != nil {
				t.Errorf("%s: %v", c.Name, err)
			}
		}
		close()
		if n := offheap.Results.Out(); n != lent {
			t.Errorf("%s: %d results are lent, %d were before", p.name, n, lent)
		}
	}
}

// BatchCase is one mini-batch.
type BatchCase struct {
	Name     string
	App      *app.MiniBatch
	Graph    *graph.Graph
	Seed     uint64
	Batch    []uint32
	Excluded []int64
}

// BatchCases are all mini-batches of the corpus.
func BatchCases() (cases []BatchCase) {
	for _, p := range graphs() {
		cases = append(cases, batchCases(p)...)
	}
	return cases
}

func batchCases(p place) (cases []BatchCase) {
	n, edges := p.g.NumVertices(), p.g.NumEdges()
	for i, fanouts := range [][]int{{1}, {3, 2}, {-1}, {2, -1}, {-1, 4}, {1, 1, 1, 1}, {80, 3}, {25, 10}} {
		for _, replace := range []bool{false, true} {
			for _, weighted := range []app.Weighted{app.Auto, app.No} {
				for _, part := range []int{0, 1, 3} { // of the edges are left out: none, every third, all but every third
					c := BatchCase{
						App: &app.MiniBatch{Fanouts: fanouts, Replace: replace, Weighted: weighted}, Graph: p.g,
						Seed: uint64(i)<<60 + uint64(part),
					}
					size := min(n, []int{0, 1, 5, 40}[(i+part)%4])
					for v := range size {
						c.Batch = append(c.Batch, uint32((n-1-v*3%n+n)%n))
					}
					slices.Sort(c.Batch)
					c.Batch = slices.Compact(c.Batch)
					slices.Reverse(c.Batch)
					for e := range edges {
						if part == 1 && e%3 == 0 || part == 3 && e%3 != 0 {
							c.Excluded = append(c.Excluded, int64(e))
						}
					}
					c.Name = fmt.Sprintf("%s/%+v, batch of %d, %d edges left out", p.name, *c.App, len(c.Batch), len(c.Excluded))
					cases = append(cases, c)
				}
			}
		}
	}
	return cases
}

// Check says where the drawer's mini-batch differs from the definition.
func (c BatchCase) Check(b Batches) error {
	bound, err := c.App.Bind(c.Graph)
	if err != nil {
		return err
	}
	got, err := b.Blocks(bound, c.Seed, c.Batch, c.Excluded, nil)
	if err != nil {
		return err
	}
	defer offheap.Results.Return(uintptr(unsafe.Pointer(unsafe.SliceData(got.Arena))))
	out, positions := map[int64]bool{}, map[uint64]bool{}
	for _, id := range c.Excluded {
		out[id] = true
	}
	for p := range uint64(c.Graph.NumEdges()) {
		if out[int64(c.Graph.EdgeID(p))] {
			positions[p] = true
		}
	}
	vertices, hops := bound.Sample(c.Graph, c.Seed, c.Batch, positions)
	if !slices.EqualFunc(got.Nodes, vertices, func(a int64, b uint32) bool { return a == int64(b) }) {
		return fmt.Errorf("vertices %v, expected %v", got.Nodes, vertices)
	}
	if len(got.Hops) != len(hops) {
		return fmt.Errorf("%d hops, expected %d", len(got.Hops), len(hops))
	}
	for i, h := range hops {
		if err := c.sameHop(got.Hops[i], h); err != nil {
			return fmt.Errorf("hop %d: %v", i, err)
		}
	}
	return nil
}

func (c BatchCase) sameHop(got output.Hop, want app.Hop) error {
	var ids []int64
	for _, position := range want.Positions {
		ids = append(ids, int64(c.Graph.EdgeID(position)))
	}
	switch {
	case got.Destinations != want.Destinations || got.Sources != want.Sources:
		return fmt.Errorf("%d destinations and %d sources, expected %d and %d", got.Destinations, got.Sources, want.Destinations, want.Sources)
	case !slices.Equal(got.Indptr, want.Indptr):
		return fmt.Errorf("offsets %v, expected %v", got.Indptr, want.Indptr)
	case !slices.Equal(got.Indices, want.Indices):
		return fmt.Errorf("sources %v, expected %v", got.Indices, want.Indices)
	case !slices.Equal(got.EdgeIDs, ids):
		return fmt.Errorf("edge ids %v, expected %v", got.EdgeIDs, ids)
	}
	return nil
}
