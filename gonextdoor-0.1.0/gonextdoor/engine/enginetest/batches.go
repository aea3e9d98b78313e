package enginetest

import (
	"cmp"
	"fmt"
	"slices"
	"testing"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/engine"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/offheap"
	"gonextdoor/gonextdoor/output"
)

// NewSampler returns a neighbour sampler of a graph, and the function that frees it.
type NewSampler func(h *graph.Hetero) (s engine.NeighborSampler, free func(), err error)

// RunBatches compares mini-batches with the serial definition. Each sampler draws several, so that state that a batch leaves
// in the sampler would change the next.
func RunBatches(t *testing.T, newSampler NewSampler) {
	RunThoseBatches(t, newSampler, func(BatchCase) bool { return true })
}

// RunThoseBatches is RunBatches restricted to the cases for which wanted is true.
func RunThoseBatches(t *testing.T, newSampler NewSampler, wanted func(c BatchCase) bool) {
	for _, p := range batchPlaces() {
		lent := offheap.Results.Out()
		s, free, err := newSampler(p.h)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range batchCases(p) {
			if !wanted(c) {
				continue
			}
			if err := c.Check(s); err != nil {
				t.Errorf("%s: %v", c.Name, err)
			}
		}
		free()
		if n := offheap.Results.Out(); n != lent {
			t.Errorf("%s: %d results are lent, %d were before", p.name, n, lent)
		}
	}
}

// BatchCase is one mini-batch.
type BatchCase struct {
	Name      string
	App       *app.NeighborSampling
	Graph     *graph.Hetero
	Seed      uint64
	SeedNodes app.SeedNodes
}

// BatchCases returns all mini-batches of the corpus.
func BatchCases() (cases []BatchCase) {
	for _, p := range batchPlaces() {
		cases = append(cases, batchCases(p)...)
	}
	return cases
}

// Check returns an error if the sampler's mini-batch differs from the definition.
func (c BatchCase) Check(s engine.NeighborSampler) error {
	if err := c.App.Bind(c.Graph); err != nil {
		return err
	}
	if err := c.App.BuildTables(c.Graph, graph.Options{}); err != nil {
		return err
	}
	got, err := s.Sample(c.App, c.Seed, c.SeedNodes, 1, nil)
	if err != nil {
		return err
	}
	defer got.Return()
	want := c.App.Sample(c.Graph, c.Seed, c.SeedNodes)
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
