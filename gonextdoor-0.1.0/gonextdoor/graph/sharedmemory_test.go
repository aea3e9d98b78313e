package graph_test

import (
	"slices"
	"strings"
	"testing"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/build"
	"gonextdoor/gonextdoor/graph/graphtest"
	"gonextdoor/gonextdoor/offheap"
	"gonextdoor/gonextdoor/refuse"
)

func TestFromArraysTakesWhatArraysGives(t *testing.T) {
	live := offheap.Live()
	for _, wide := range []bool{false, true} {
		g := graphtest.Full(t, wide)
		for _, n := range []graph.Summary{g.Summary(), {}} {
			h, err := graph.FromArrays(g.Arrays(), n)
			if err != nil {
				t.Fatal(err)
			}
			if h.Summary().Checked != n.Checked {
				t.Error("a graph that was not read through counts as checked")
			}
			if err := h.Validate(); err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(h.Indptr, g.Indptr) || h.MaxDegree() != g.MaxDegree() || h.HasSinks() != g.HasSinks() {
				t.Fatal("the rows or what is known of them differ")
			}
			if h.Indices[:201][200] != graph.None {
				t.Fatal("no None after the last edge")
			}
			for u := range uint32(40) {
				first, end := g.Row(u)
				for p := first; p < end; p++ {
					if h.Indices[p] != g.Indices[p] || h.EdgeID(p) != g.EdgeID(p) || h.Weight(u, p) != g.Weight(u, p) ||
						h.Labels[p] != g.Labels[p] || h.Times[p] != g.Times[p] {
						t.Fatalf("position %d differs", p)
					}
				}
			}
			if string(h.Names.Text) != string(g.Names.Text) || h.Names.Offsets[40] != 80 || !h.Summary().Checked {
				t.Error("names or numbers differ")
			}
			closed := false
			h.OnClose(nil)
			h.OnClose(func() { closed = true })
			if h.Close(); !closed {
				t.Error("OnClose was not called")
			}
		}
		if !slices.IsSorted(g.Indptr) || g.Indptr[40] != 200 {
			t.Fatal("the arrays ended with the graph that shared them")
		}
		g.Close()
	}
	if offheap.Live() != live {
		t.Errorf("%d arrays leaked", offheap.Live()-live)
	}
}

func TestFromArraysOfAnEmptyGraph(t *testing.T) {
	g, err := build.FromEdges(build.Edges{Sources: graph.ArrayOf([]int64{}), Targets: graph.ArrayOf([]int64{}), NumVertices: 3})
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	h, err := graph.FromArrays(g.Arrays(), graph.Summary{})
	if err == nil {
		err = h.Validate()
	}
	if err != nil || h.NumVertices() != 3 || h.NumEdges() != 0 || !h.HasSinks() {
		t.Fatalf("%v", err)
	}
}

// TestScanRefusesEveryBrokenArray breaks one thing at a time in a graph of unknown origin.
func TestScanRefusesEveryBrokenArray(t *testing.T) {
	for want, damage := range map[string]func(g *graph.Graph){
		"indptr begins with 1 and ends with 200: expected 0 and 200":   func(g *graph.Graph) { g.Indptr[0] = 1 },
		"indptr begins with 0 and ends with 199: expected 0 and 200":   func(g *graph.Graph) { g.Indptr[40] = 199 },
		"indptr[10] = 18446744073709551615 after":                      func(g *graph.Graph) { g.Indptr[11] = 0; g.Indptr[10] = ^uint64(0) },
		"expected offsets that do not decrease":                        func(g *graph.Graph) { g.Indptr[20] = 300 },
		"indices ends with 7: expected 4294967295 after the last edge": func(g *graph.Graph) { g.Indices[:201][200] = 7 },
		"indices[199] = 40: expected a vertex below 40":                func(g *graph.Graph) { g.Indices[199] = 40 },
		"expected rows in ascending order":                             func(g *graph.Graph) { g.Indices[g.Indptr[5]] = 39 },
		"names_offsets begins with 0 and ends with 81":                 func(g *graph.Graph) { g.Names.Offsets[40] = 81 },
		"names_offsets[8] = 14 after names_offsets[7] = 99":            func(g *graph.Graph) { g.Names.Offsets[7] = 99; g.Names.Offsets[8] = 14 },
	} {
		g := graphtest.Full(t, false)
		damage(g)
		if strings.HasPrefix(want, "indptr[10]") {
			want = "indptr[" // the lowest of two
		}
		h, err := graph.FromArrays(g.Arrays(), graph.Summary{})
		if err != nil {
			t.Fatal(err)
		}
		for range 2 { // the second call returns the cached result
			if err := h.Validate(); err == nil || !strings.Contains(err.Error(), want) || refuse.KindOf(err) != refuse.KindFormat {
				t.Errorf("%v, expected %s", err, want)
			}
		}
		g.Close()
	}
}

func TestFromArraysRefusesWhatIsNoGraph(t *testing.T) {
	g := graphtest.Full(t, false)
	defer g.Close()
	with := func(name string, change func(a *graph.NamedArray)) []graph.NamedArray {
		var out []graph.NamedArray
		for _, a := range g.Arrays() {
			if a.Name == name {
				change(&a)
			}
			if a.Name != "" {
				out = append(out, a)
			}
		}
		return out
	}
	for want, arrays := range map[string][]graph.NamedArray{
		`array "indptr" of dtype float64 and length 41: a graph has no such array`: with("indptr", func(a *graph.NamedArray) { a.Dtype = "float64" }),
		`array "indices" of dtype uint32 and length 0: a graph has no such array`:  with("indices", func(a *graph.NamedArray) { a.Length = 0 }),
		`array "labels" of dtype int32 and length -1: a graph has no such array`:   with("labels", func(a *graph.NamedArray) { a.Length = -1 }),
		`array "colour": a graph has no such array`:                                with("labels", func(a *graph.NamedArray) { a.Name = "colour" }),
		"the graph lacks the arrays indptr and indices":                            with("indptr", func(a *graph.NamedArray) { a.Name = "" }),
		"biases has 5 elements: expected 200 for 40 vertices and 200 edges":        with("biases", func(a *graph.NamedArray) { a.Length = 5 }),
		"scales has 0 elements: expected 40 for 40 vertices and 200 edges":         with("scales", func(a *graph.NamedArray) { a.Name = "" }),
		"edge_ids has 199 elements: expected 200 for 40 vertices and 200 edges":    with("edge_ids", func(a *graph.NamedArray) { a.Length = 199 }),
		"names_offsets has 40 elements: expected 41 for 40 vertices and 200 edges": with("names_offsets", func(a *graph.NamedArray) { a.Length = 40 }),
	} {
		if h, err := graph.FromArrays(arrays, graph.Summary{}); err == nil || err.Error() != want || h != nil {
			t.Errorf("%v, expected %s", err, want)
		}
	}
}
