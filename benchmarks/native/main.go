// Native walks node2vec in plain Go, by the rules of a user's app (examples/apps/node2vec.py): what users' compiled hooks
// are measured against. It prints the seconds of the walks and a sum of their vertices, which must be the app's.
//
//	native FOLDER_OF_A_GRAPH WALKERS STEPS P Q bounded|whole THREADS
package main

import (
	"fmt"
	"os"
	"strconv"
	"time"

	"gonextdoor/gonextdoor/app/program"
	"gonextdoor/gonextdoor/file"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/parallel"
	"gonextdoor/gonextdoor/rng"
	"gonextdoor/gonextdoor/selector"
)

const (
	block = 128
	seed  = 42
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(arguments []string) error {
	g, err := file.Open(arguments[0])
	if err != nil {
		return err
	}
	if err := g.Validate(); err != nil {
		return err
	}
	number := func(i int) float64 { x, _ := strconv.ParseFloat(arguments[i], 64); return x }
	w := walk{g: g, steps: int(number(2)), back: 1 / number(3), away: 1 / number(4), bounded: arguments[5] == "bounded"}
	w.most = max(w.back, 1, w.away)
	if w.weights, err = index.RealWeights(g, graph.Options{}); err != nil {
		return err
	}
	if w.largest, err = index.LargestWeights(g, graph.Options{}); err != nil {
		return err
	}
	if w.bounded { // whole rows are faster by search
		if w.set, err = index.EdgeSetOf(g, g.NumEdges(), graph.Options{}); err != nil {
			return err
		}
	}
	walkers, threads := int(number(1)), int(number(6))
	w.out = make([]uint32, walkers*w.steps)
	w.all(walkers, threads) // the first run has the memory to bring
	began := time.Now()
	w.all(walkers, threads)
	seconds := time.Since(began).Seconds()
	sum := uint64(0)
	for _, v := range w.out {
		sum += uint64(v)
	}
	fmt.Println(seconds, sum)
	return nil
}

// walk is what the app's parameters are.
type walk struct {
	g                *graph.Graph
	weights, largest []float64
	set              index.EdgeSet
	steps            int
	back, away, most float64
	bounded          bool
	out              []uint32
}

// all walks from the vertices 0, 7, 14, ...
func (w *walk) all(walkers, threads int) {
	n := w.g.NumVertices()
	_ = parallel.For(nil, threads, walkers, block, func(lo, hi int) error {
		var b walkerBatch
		for i := lo; i < hi; i++ {
			b.vertex[i-lo], b.prev[i-lo] = uint32(i*7%n), graph.None
			b.key[i-lo] = rng.NewStream(seed, rng.Choices).Key(uint64(i))
		}
		for s := range w.steps {
			w.step(&b, hi-lo, uint64(s))
			for i := range hi - lo {
				next := b.next[i]
				w.out[(lo+i)*w.steps+s] = next
				b.prev[i], b.vertex[i] = b.vertex[i], next
			}
		}
		return nil
	})
}

// walkerBatch is a block of walkers in step.
type walkerBatch struct {
	vertex, prev, next, todo, dst [block]uint32
	key                           [block]rng.Key
	edge                          [block]uint64
	fraction                      [block]uint64
	bound                         [block]uint64
}

func (w *walk) step(b *walkerBatch, n int, s uint64) {
	todo := b.todo[:0]
	for i := range n {
		b.next[i] = graph.None
		if v := b.vertex[i]; v != graph.None && w.g.Degree(v) > 0 {
			todo = append(todo, uint32(i))
			b.bound[i] = w.above(b.prev[i], v)
		}
	}
	for t := uint64(0); w.bounded && t < program.Tries(^uint64(0)) && len(todo) > 0; t++ {
		for _, i := range todo {
			first, end := w.g.Row(b.vertex[i])
			at, fraction := rng.Below(b.key[i].Word(rng.Slot(s, t)), end-first)
			b.edge[i], b.fraction[i] = first+at, uint64(fraction)
		}
		for _, i := range todo {
			b.dst[i] = w.g.Indices[b.edge[i]]
		}
		left := todo[:0]
		for _, i := range todo {
			switch {
			case t >= program.Tries(w.g.Degree(b.vertex[i])):
				b.next[i] = w.scan(b, i, s)
			case b.fraction[i]*b.bound[i]>>32 < w.bias(b.prev[i], b.edge[i], b.dst[i]):
				b.next[i] = b.dst[i]
			default:
				left = append(left, i)
			}
		}
		todo = left
	}
	for _, i := range todo {
		b.next[i] = w.scan(b, i, s)
	}
}

// scan weighs all candidates in one pass.
func (w *walk) scan(b *walkerBatch, i uint32, s uint64) uint32 {
	r := selector.Reserve{Key: b.key[i].Stream(rng.Slot(s, selector.MaxTries)).Key(0)}
	first, end := w.g.Row(b.vertex[i])
	for e := first; e < end; e++ {
		r.Add(int(e-first), w.bias(b.prev[i], e, w.g.Indices[e]))
	}
	if r.Held() < 0 {
		return graph.None
	}
	return w.g.Indices[first+uint64(r.Held())]
}

func (w *walk) weight(edge uint64) float64 {
	if w.weights == nil {
		return 1
	}
	return w.weights[edge]
}

func (w *walk) bias(prev uint32, edge uint64, dst uint32) uint64 {
	x := w.weight(edge)
	switch {
	case prev == graph.None:
	case dst == prev:
		x = float64(x * w.back)
	case !w.leads(prev, dst):
		x = float64(x * w.away)
	}
	return program.FixedBias(x)
}

func (w *walk) leads(u, v uint32) bool {
	if len(w.set.Slots) > 0 {
		return w.set.Has(u, v)
	}
	return w.g.HasEdge(u, v)
}

func (w *walk) above(prev, v uint32) uint64 {
	x := 1.0
	if w.largest != nil {
		x = w.largest[v]
	}
	if prev != graph.None {
		x = float64(x * w.most)
	}
	return program.FixedBias(x)
}
