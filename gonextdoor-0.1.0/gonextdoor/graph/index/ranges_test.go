package index

import (
	"errors"
	"math"
	"slices"
	"testing"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/graphtest"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/refuse"
)

// naiveRanges computes the ranges edge by edge.
func naiveRanges(g *graph.Graph) (EdgeRanges, Degrees) {
	r := EdgeRanges{LeastWeight: math.Inf(1), LeastLabel: math.MaxInt32, LargestLabel: math.MinInt32}
	if len(g.Times) > 0 {
		r.LeastTime, r.LargestTime = slices.Min(g.Times), slices.Max(g.Times)
	}
	d := Degrees{Least: math.MaxUint64}
	for u := range uint32(g.NumVertices()) {
		first, end := g.Row(u)
		for p := first; p < end; p++ {
			label := int32(0)
			if len(g.Labels) > 0 {
				label = g.Labels[p]
			}
			w, to := g.Weight(u, p), g.Degree(g.Indices[p])
			r.LeastWeight, r.LargestWeight = min(r.LeastWeight, w), max(r.LargestWeight, w)
			r.LeastLabel, r.LargestLabel = min(r.LeastLabel, label), max(r.LargestLabel, label)
			r.LargestID = max(r.LargestID, g.EdgeID(p))
			d.Least, d.Largest = min(d.Least, to), max(d.Largest, to)
		}
	}
	return r, d
}

func TestRangesAreThoseOfTheEdges(t *testing.T) {
	for name, change := range map[string]func(g *graph.Graph){
		"full":       func(*graph.Graph) {},
		"unweighted": func(g *graph.Graph) { g.Biases, g.Scales = nil, nil },
		"plain": func(g *graph.Graph) {
			g.Biases, g.Scales, g.Labels, g.Times, g.EdgeIDs, g.EdgeIDs64 = nil, nil, nil, nil, nil, nil
		},
		"late times": func(g *graph.Graph) {
			g.Times = make([]int64, g.NumEdges())
			for p := range g.Times {
				g.Times[p] = 1<<60 + int64(p)
			}
		},
		"negative labels": func(g *graph.Graph) {
			g.Labels = make([]int32, g.NumEdges())
			for p := range g.Labels {
				g.Labels[p] = -int32(p) - 5
			}
		},
		"wide ids": func(g *graph.Graph) {
			g.EdgeIDs, g.EdgeIDs64 = nil, make([]uint64, g.NumEdges())
			for p := range g.EdgeIDs64 {
				g.EdgeIDs64[p] = 1<<40 - uint64(p)
			}
		},
	} {
		g := graphtest.Full(t, false)
		biases, scales, labels, times, ids, wide := g.Biases, g.Scales, g.Labels, g.Times, g.EdgeIDs, g.EdgeIDs64
		change(g)
		if _, err := EdgeRangesOf(g, graph.Options{Job: &job.Job{Stop: 1}}); !errors.Is(err, refuse.ErrInterrupted) {
			t.Fatalf("%s, stopped: got %v", name, err)
		}
		got, err1 := EdgeRangesOf(g, graph.Options{})
		degrees, err2 := EndDegrees(g, graph.Options{Threads: 2})
		if err := errors.Join(err1, err2); err != nil {
			t.Fatal(err)
		}
		if want, d := naiveRanges(g); got != want || degrees != d {
			t.Errorf("%s: got %+v and %+v, expected %+v and %+v", name, got, degrees, want, d)
		}
		g.Biases, g.Scales, g.Labels, g.Times, g.EdgeIDs, g.EdgeIDs64 = biases, scales, labels, times, ids, wide
		g.Close()
	}
}

func TestRangesOfNoEdgesAreZeros(t *testing.T) {
	g := &graph.Graph{Indptr: make([]uint64, 4)}
	r, err1 := EdgeRangesOf(g, graph.Options{})
	d, err2 := EndDegrees(g, graph.Options{})
	if r != (EdgeRanges{}) || d != (Degrees{}) || err1 != nil || err2 != nil {
		t.Errorf("got %+v, %+v, %v, %v", r, d, err1, err2)
	}
}
