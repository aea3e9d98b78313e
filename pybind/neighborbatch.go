package pybind

import (
	"encoding/json"
	"strings"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/engine/neighborbatch"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/output"
	"gonextdoor/gonextdoor/refuse"
)

// hetero is the JSON of NewHetero's arguments. Times stay the caller's memory, which must live as long as the object.
type hetero struct {
	Types     []string `json:"types"` // nil: one, without a name
	Counts    []int    `json:"counts"`
	Times     []array  `json:"times"` // by type, int64, of length 0 where there are none; nil: none at all
	Relations []struct {
		Graph       int64  `json:"graph"`
		Destination int    `json:"destination"`
		Source      int    `json:"source"`
		Name        string `json:"name"`
	} `json:"relations"`
}

// NewHetero makes the graph of several types that spec, JSON, describes, from graphs, which must outlive it.
func NewHetero(spec string, job uintptr) (handle int64, err error) {
	defer guard(&err)
	var s hetero
	if err := json.Unmarshal([]byte(spec), &s); err != nil {
		return 0, err
	}
	h := &graph.Hetero{Counts: s.Counts, Types: s.Types}
	for _, a := range s.Times {
		h.Times = append(h.Times, view[int64](a.Address, int64(a.Length)))
	}
	for _, r := range s.Relations {
		g, err := graphs.get(r.Graph)
		if err != nil {
			return 0, err
		}
		h.Relations = append(h.Relations, graph.Relation{Graph: g, Destination: r.Destination, Source: r.Source, Name: r.Name})
	}
	if err := h.Check(graph.Options{Job: watched(job)}); err != nil {
		return 0, err
	}
	return neighborSamplers.add(neighborbatch.New(h)), nil
}

// DropHetero ends a graph of several types; its graphs stay.
func DropHetero(handle int64) (known bool, err error) {
	defer guard(&err)
	b, known := neighborSamplers.drop(handle)
	if known {
		b.Close()
	}
	return known, nil
}

// DrawBatches draws count mini-batches with a sampler, on so many threads (0: all). words has one int64 a batch, sizes
// the numbers of its seeds by type; seeds has those of all batches, one behind the other, of a kind: see vertices. times,
// unless it is 0, has an int64 a seed. excluded, unless it is 0, has the ids of edges, excludedSizes the numbers of them
// for each batch by relation. Each batch lends a block, and facts has, batch behind batch:
//
//	the block's address and its length in int64;
//	for each type, where its nodes begin, where their trees, or -1, then how many nodes are new in the batch and each hop;
//	where edges are by destination, for each hop and relation the first destination, the number of them, where indptr,
//	sources and ids begin, and the number of edges;
//	where edges are pairs, for each relation where sources, destinations and ids begin, then the edges of each hop.
func DrawBatches(hetero int64, sampler int64, count int64, words uintptr, seeds uintptr, kind int64, sizes uintptr,
	times uintptr, excluded uintptr, excludedSizes uintptr, facts uintptr, threads int64, job uintptr,
) (written int64, err error) {
	defer guard(&err)
	b, m, all, err := batchesOf(hetero, sampler, count, seeds, kind, sizes, times, excluded, excludedSizes)
	if err != nil {
		return 0, err
	}
	drawn, err := b.DrawMany(m, view[uint64](words, count), all, int(threads), watched(job))
	if err != nil {
		return 0, err
	}
	size := int64(factsOf(m, b.Graph))
	for i, one := range drawn {
		describe(one, view[int64](facts+uintptr(8*size*int64(i)), size))
	}
	return size * count, nil
}

// batchesOf gives what DrawBatches and its like are called with.
func batchesOf(hetero, sampler, count int64, seeds uintptr, kind int64, sizes, times, excluded, excludedSizes uintptr,
) (b *neighborbatch.Sampler, m *app.NeighborSampling, all []app.SeedNodes, err error) {
	if b, err = neighborSamplers.get(hetero); err != nil {
		return nil, nil, nil, err
	}
	if m, err = neighborSamplings.get(sampler); err != nil {
		return nil, nil, nil, err
	}
	types, relations := int64(len(b.Graph.Counts)), int64(len(b.Graph.Relations))
	all = make([]app.SeedNodes, count)
	given := batchArguments{
		b.Graph, seeds, kind, view[int64](sizes, count*types), times, excluded, view[int64](excludedSizes, count*relations),
	}
	for i := range all {
		if all[i], err = given.next(); err != nil {
			return nil, nil, nil, neighborbatch.OfBatch(i, len(all), err)
		}
	}
	return b, m, all, nil
}

// batchArguments are what is left of the arguments of DrawBatches.
type batchArguments struct {
	h             *graph.Hetero
	seeds         uintptr
	kind          int64
	sizes         []int64
	times         uintptr
	excluded      uintptr
	excludedSizes []int64
}

// next gives the seeds of the next batch.
func (a *batchArguments) next() (s app.SeedNodes, err error) {
	s.Vertices = make([][]uint32, len(a.h.Counts))
	width, trees := max(a.kind, -a.kind), int64(0)
	for t, vertices := range a.h.Counts {
		n := a.sizes[t]
		s.Vertices[t] = make([]uint32, n)
		if err := narrowed(vertices, a.h.OfType("seed_nodes", t), a.seeds, a.kind, s.Vertices[t], 1); err != nil {
			return s, err
		}
		a.seeds += uintptr(n * width)
		trees += n
	}
	a.sizes = a.sizes[len(a.h.Counts):]
	if a.times != 0 {
		s.Times = append([]int64{}, view[int64](a.times, trees)...)
		a.times += uintptr(8 * trees)
	}
	if a.excludedSizes == nil {
		return s, nil
	}
	s.Excluded = make([][]int64, len(a.h.Relations))
	for r := range s.Excluded {
		n := a.excludedSizes[r]
		s.Excluded[r] = append([]int64(nil), view[int64](a.excluded, n)...) // the caller's may change
		a.excluded += uintptr(8 * n)
	}
	a.excludedSizes = a.excludedSizes[len(a.h.Relations):]
	return s, nil
}

// factsOf gives how many numbers describe a mini-batch.
func factsOf(m *app.NeighborSampling, h *graph.Hetero) int {
	hops, types, relations := len(m.Fanouts), len(h.Counts), len(h.Relations)
	n := 2 + types*(3+hops)
	if m.Layout == app.COO {
		return n + relations*(3+hops)
	}
	return n + hops*relations*6
}

func describe(b output.NeighborBatch, facts []int64) {
	first := address(b.Arena)
	at := func(s []int64) int64 {
		if len(s) == 0 {
			return 0
		}
		return (address(s) - first) / 8
	}
	facts = append(facts[:0], first, int64(len(b.Arena)))
	for t, nodes := range b.Nodes {
		trees := int64(-1)
		if b.Trees != nil {
			trees = at(b.Trees[t])
		}
		facts = append(facts, at(nodes), trees)
		for _, n := range b.New[t] {
			facts = append(facts, int64(n))
		}
	}
	for _, hop := range b.Hops {
		for _, x := range hop {
			facts = append(facts, int64(x.First), int64(x.Destinations), at(x.Indptr), at(x.Indices), at(x.EdgeIDs), int64(len(x.Indices)))
		}
	}
	for _, p := range b.Pairs {
		facts = append(facts, at(p.Sources), at(p.Destinations), at(p.EdgeIDs))
		for _, n := range p.Counts {
			facts = append(facts, int64(n))
		}
	}
}

// NewNeighborSampling makes a mini-batch sampler from its parameters in JSON.
func NewNeighborSampling(params string) (handle int64, err error) {
	defer guard(&err)
	a := new(app.NeighborSampling)
	d := json.NewDecoder(strings.NewReader(params))
	d.DisallowUnknownFields()
	if err := d.Decode(a); err != nil {
		return 0, refuse.Type("parameters %s: %w", params, err)
	}
	if err := a.Check(); err != nil {
		return 0, err
	}
	return neighborSamplings.add(a), nil
}

// DropNeighborSampling ends a mini-batch sampler.
func DropNeighborSampling(handle int64) (known bool, err error) {
	defer guard(&err)
	_, known = neighborSamplings.drop(handle)
	return known, nil
}
