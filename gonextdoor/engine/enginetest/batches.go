package enginetest

import (
	"cmp"
	"fmt"
	"slices"
	"testing"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/offheap"
	"gonextdoor/gonextdoor/output"
)

// Batches draws mini-batches on a graph. Excluded edges are given by their ids.
type Batches interface {
	Blocks(m *app.MiniBatch, seed uint64, s app.Seeds, j *job.Job) (output.Blocks, error)
}

// NewBatches makes a drawer of mini-batches on a graph, and what gives its memory back.
type NewBatches func(h *graph.Hetero) (b Batches, close func(), err error)

// RunBatches compares mini-batches with their definition, several from each drawer, so that one may spoil the next.
func RunBatches(t *testing.T, newBatches NewBatches) {
	RunThoseBatches(t, newBatches, func(BatchCase) bool { return true })
}

// RunThoseBatches is RunBatches of the cases that are wanted.
func RunThoseBatches(t *testing.T, newBatches NewBatches, wanted func(c BatchCase) bool) {
	for _, p := range batchPlaces() {
		lent := offheap.Results.Out()
		b, close, err := newBatches(p.h)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range batchCases(p) {
			if !wanted(c) {
				continue
			}
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
	Name  string
	App   *app.MiniBatch
	Graph *graph.Hetero
	Seed  uint64
	Seeds app.Seeds
}

// BatchCases are all mini-batches of the corpus.
func BatchCases() (cases []BatchCase) {
	for _, p := range batchPlaces() {
		cases = append(cases, batchCases(p)...)
	}
	return cases
}

// Check says where the drawer's mini-batch differs from the definition.
func (c BatchCase) Check(b Batches) error {
	if err := c.App.Bind(c.Graph); err != nil {
		return err
	}
	if err := c.App.BuildTables(c.Graph, graph.Options{}); err != nil {
		return err
	}
	got, err := b.Blocks(c.App, c.Seed, c.Seeds, nil)
	if err != nil {
		return err
	}
	defer got.Return()
	want := c.App.Sample(c.Graph, c.Seed, c.Seeds)
	for t, nodes := range want.Nodes {
		if err := same(fmt.Sprintf("vertices of type %d", t), got.Nodes[t], nodes); err != nil {
			return err
		}
		if want.Trees == nil {
			continue
		}
		if err := same(fmt.Sprintf("trees of type %d", t), got.Trees[t], want.Trees[t]); err != nil {
			return err
		}
	}
	if !slices.EqualFunc(got.New, want.New, slices.Equal) {
		return fmt.Errorf("new nodes %v, expected %v", got.New, want.New)
	}
	if c.App.Layout == app.COO {
		return c.samePairs(got.Pairs, want.Hops)
	}
	if len(got.Hops) != len(want.Hops) {
		return fmt.Errorf("%d hops, expected %d", len(got.Hops), len(want.Hops))
	}
	for i, hop := range want.Hops {
		for r, x := range hop {
			if err := c.sameHop(got.Hops[i][r], r, x); err != nil {
				return fmt.Errorf("hop %d, relation %d: %v", i, r, err)
			}
		}
	}
	return nil
}

func (c BatchCase) sameHop(got output.Hop, r int, want app.Hop) error {
	if got.First != want.First || got.Destinations != want.Destinations {
		return fmt.Errorf("%d destinations from %d, expected %d from %d", got.Destinations, got.First, want.Destinations, want.First)
	}
	return cmp.Or(
		same("offsets", got.Indptr, want.Indptr), same("sources", got.Indices, want.Indices),
		same("edge ids", got.EdgeIDs, c.ids(r, want.Positions)),
	)
}

func (c BatchCase) samePairs(got []output.Pairs, hops [][]app.Hop) error {
	if len(got) != len(c.Graph.Relations) {
		return fmt.Errorf("pairs of %d relations, expected %d", len(got), len(c.Graph.Relations))
	}
	for r, pairs := range got {
		var sources, destinations []int64
		var positions []uint64
		var counts []int
		for _, hop := range hops {
			x := hop[r]
			sources, positions, counts = append(sources, x.Indices...), append(positions, x.Positions...), append(counts, len(x.Indices))
			for i := range x.Destinations {
				destinations = append(destinations, slices.Repeat([]int64{int64(x.First + i)}, int(x.Indptr[i+1]-x.Indptr[i]))...)
			}
		}
		err := cmp.Or(
			same("sources", pairs.Sources, sources), same("destinations", pairs.Destinations, destinations),
			same("edge ids", pairs.EdgeIDs, c.ids(r, positions)),
		)
		if err != nil || !slices.Equal(pairs.Counts, counts) {
			return fmt.Errorf("relation %d: %v, counts %v, expected %v", r, err, pairs.Counts, counts)
		}
	}
	return nil
}

func (c BatchCase) ids(r int, positions []uint64) (ids []int64) {
	for _, p := range positions {
		ids = append(ids, int64(c.Graph.Relations[r].Graph.EdgeID(p)))
	}
	return ids
}

func same[T int64 | uint32](what string, got []int64, want []T) error {
	if !slices.EqualFunc(got, want, func(a int64, b T) bool { return a == int64(b) }) {
		return fmt.Errorf("%s %v, expected %v", what, got, want)
	}
	return nil
}
