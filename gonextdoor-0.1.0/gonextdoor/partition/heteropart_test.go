package partition_test

import (
	"strings"
	"testing"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/graphtest"
	"gonextdoor/gonextdoor/partition"
)

// The parts of relations belong together, and edges lead to vertices of the source type.
func TestHeteroPartsRefuse(t *testing.T) {
	h := graphtest.Library(true)
	var halves, thirds []*partition.Part
	for _, rel := range h.Relations {
		n := rel.Graph.NumVertices()
		halves, thirds = append(halves, split(t, rel.Graph, byRange{2, n}, nil)...), append(thirds, split(t, rel.Graph, byRange{3, n}, nil)...)
	}
	large := &graph.Hetero{Counts: []int{4, 2}, Types: h.Types, Relations: h.Relations}
	for want, x := range map[string]struct {
		h     *graph.Hetero
		parts []*partition.Part
	}{
		"2 parts of relations: expected 3, one per relation":               {h, []*partition.Part{halves[0], halves[2]}},
		"0 parts of relations: expected 0, one per relation, and at least": {&graph.Hetero{Counts: []int{1}}, nil},
		"relations[writes] is part 1 of 2: expected part 0 of 2":           {h, []*partition.Part{halves[0], halves[3], halves[4]}},
		"relations[of] is part 0 of 3: expected part 0 of 2":               {h, []*partition.Part{halves[0], halves[2], thirds[6]}},
		"relations[cites]: the graph has 3 vertices, expected at least 4":  {large, []*partition.Part{halves[0], halves[2], halves[4]}},
	} {
		if _, err := partition.NewHeteroPart(x.h, x.parts); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v: expected %q", err, want)
		}
	}
	// The rows of "of" lead to 3 papers; a graph of 2 papers may not have them.
	small := &graph.Hetero{Counts: []int{2, 2}, Types: h.Types, Relations: h.Relations}
	p, err := partition.NewHeteroPart(small, []*partition.Part{halves[0], halves[2], halves[4]})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	m := &app.NeighborSampling{Fanouts: [][]int{{0, 0, -1}}}
	_, err = drawBatches([]*partition.HeteroPart{p, nil}, 0, m, []uint64{1}, []app.SeedNodes{{Vertices: [][]uint32{nil, {0}}}}, nil)
	if err == nil || !strings.Contains(err.Error(), "an edge leads to vertex 2: the graph has 2 vertices") {
		t.Errorf("error %v for an edge that leaves its type", err)
	}
	// A part of a graph of one type has one relation.
	if p, err = partition.NewHeteroPart(h, p.Relations); err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	c, err := partition.NewBatchCall(p, &app.NeighborSampling{Fanouts: [][]int{{0, 1, 0}}}, []uint64{1}, []app.SeedNodes{{Vertices: [][]uint32{{2}, nil}}}, 1)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Discard()
	questions, err := c.Questions(nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := halves[1].AnswerEdges(questions[1], nil); err == nil || !strings.Contains(err.Error(), "part 1 is asked for relation 1, but has 1") {
		t.Errorf("error %v for a question about another relation", err)
	}
}
