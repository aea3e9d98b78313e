package index

import (
	"math"
	"slices"
	"sort"
	"sync"
	"sync/atomic"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/offheap"
	"gonextdoor/gonextdoor/parallel"
	"gonextdoor/gonextdoor/refuse"
)

// LabelRows are the rows of a graph, each with its edges ordered by label; edges of one label keep their order. Row v lies
// from Indptr[v] to Indptr[v+1], as in the graph itself.
type LabelRows struct {
	Indices []uint32 // the end point of each edge; empty: there is no table
	Places  []uint32 // the edge's place in the graph's own row: its position is Indptr[v] + Places[i]
	Kinds   []int32  // the labels that there are, ascending
	Starts  []uint64 // at v*len(Kinds)+k, where the edges of v with the label Kinds[k] begin, and NumEdges behind the last
	Labels  []int32  // of each edge, to be searched, where there are too many kinds for Starts
}

// startsPerEdge is how many elements Starts may have for each edge of the graph.
const startsPerEdge = 2

// Kind gives the number of a label among Kinds, or -1 if no edge has it.
func (r *LabelRows) Kind(label int32) int {
	if k, ok := slices.BinarySearch(r.Kinds, label); ok {
		return k
	}
	return -1
}

// OfKind gives where the edges of v with the label Kinds[kind] lie in Indices and Places, by Starts.
func (r *LabelRows) OfKind(v uint32, kind int) (first, end uint64) {
	at := int(v)*len(r.Kinds) + kind
	return r.Starts[at], r.Starts[at+1]
}

// Search gives the same for any label of the row [first, end), by Labels.
func (r *LabelRows) Search(first, end uint64, label int32) (uint64, uint64) {
	row := r.Labels[first:end]
	lo := sort.Search(len(row), func(i int) bool { return row[i] >= label })
	n := sort.Search(len(row)-lo, func(i int) bool { return row[lo+i] > label })
	return first + uint64(lo), first + uint64(lo+n)
}

var (
	labelRowsKey  = graph.NewKey(func(r LabelRows) { r.free() })
	labelRowsWork = graph.NewKey[*atomic.Int64](nil)
)

// LabelRows gives the table of a graph with labels. It is made once so much work was announced, by this call and those
// before it, that it pays: as many edges' worth as the graph has. Until then it is empty.
func LabelRowsOf(g *graph.Graph, work int, hands graph.Options) (LabelRows, error) {
	g = g.Base()
	if announce(labelRowsWork, g, work) < int64(g.NumEdges()) {
		return labelRowsKey.Now(g), nil
	}
	return labelRowsKey.Get(g, func() (LabelRows, error) { return makeLabelRows(g, hands) })
}

func makeLabelRows(g *graph.Graph, hands graph.Options) (r LabelRows, err error) {
	defer func() {
		if err != nil {
			r.free()
			r = LabelRows{}
		}
	}()
	if g.MaxDegree() > math.MaxUint32 {
		return r, refuse.Value("graph: a vertex has %d edges; expected 2^32 - 1 at most, for rows by label", g.MaxDegree())
	}
	most := startsPerEdge * g.NumEdges() / max(1, g.NumVertices())
	if r.Kinds, err = Kinds(g, most, hands); err != nil {
		return r, err
	}
	if r.Indices, err = offheap.Make[uint32](g.NumEdges()); err != nil {
		return r, err
	}
	if r.Places, err = offheap.Make[uint32](g.NumEdges()); err != nil {
		return r, err
	}
	if r.Kinds == nil {
		if r.Labels, err = offheap.Make[int32](g.NumEdges()); err != nil {
			return r, err
		}
		return r, r.sort(g, hands)
	}
	if r.Starts, err = offheap.Make[uint64](g.NumVertices()*len(r.Kinds) + 1); err != nil {
		return r, err
	}
	r.Starts[len(r.Starts)-1] = uint64(g.NumEdges())
	return r, r.count(g, hands)
}

// Kinds gives the labels that edges have, ascending, or nil where they are more than most.
func Kinds(g *graph.Graph, most int, hands graph.Options) ([]int32, error) {
	var all []int32
	var mu sync.Mutex
	err := parallel.For(hands.Job, hands.Threads, g.NumEdges(), graph.EdgeChunk, func(lo, hi int) error {
		var own []int32
		for i, label := range g.Labels[lo:hi] {
			if i > 0 && label == g.Labels[lo+i-1] {
				continue
			}
			if at, ok := slices.BinarySearch(own, label); !ok {
				if own = slices.Insert(own, at, label); len(own) > most {
					break
				}
			}
		}
		mu.Lock()
		defer mu.Unlock()
		if len(all) <= most {
			all = append(all, own...)
			slices.Sort(all)
			all = slices.Compact(all)
		}
		return nil
	})
	if len(all) > most {
		return nil, err
	}
	return append([]int32{}, all...), err
}

// count orders each row by counting its kinds.
func (r *LabelRows) count(g *graph.Graph, hands graph.Options) error {
	kind := r.Kind
	if n := len(r.Kinds); n > 0 && int(r.Kinds[n-1])-int(r.Kinds[0]) == n-1 {
		least := r.Kinds[0]
		kind = func(label int32) int { return int(label - least) }
	}
	return parallel.For(hands.Job, hands.Threads, g.NumVertices(), graph.VertexChunk, func(lo, hi int) error {
		next := make([]uint64, len(r.Kinds)+1) // where the next edge of a kind goes
		for v := lo; v < hi; v++ {
			first, end := g.Row(uint32(v))
			clear(next)
			for _, label := range g.Labels[first:end] {
				next[kind(label)+1]++
			}
			next[0] = first
			for k := range r.Kinds {
				next[k+1] += next[k]
				r.Starts[v*len(r.Kinds)+k] = next[k]
			}
			for i, label := range g.Labels[first:end] {
				k := kind(label)
				r.Indices[next[k]], r.Places[next[k]] = g.Indices[first+uint64(i)], uint32(i)
				next[k]++
			}
		}
		return nil
	})
}

// sort orders each row by comparing labels.
func (r *LabelRows) sort(g *graph.Graph, hands graph.Options) error {
	return parallel.For(hands.Job, hands.Threads, g.NumVertices(), graph.VertexChunk, func(lo, hi int) error {
		var keys []uint64 // label and place: no two are equal
		for v := lo; v < hi; v++ {
			first, end := g.Row(uint32(v))
			keys = keys[:0]
			for i, label := range g.Labels[first:end] {
				keys = append(keys, uint64(uint32(label)^1<<31)<<32|uint64(i))
			}
			slices.Sort(keys)
			for i, key := range keys {
				at := first + uint64(i)
				place := uint32(key)
				r.Labels[at], r.Places[at] = int32(uint32(key>>32)^1<<31), place
				r.Indices[at] = g.Indices[first+uint64(place)]
			}
		}
		return nil
	})
}

func (r *LabelRows) free() {
	offheap.Free(r.Indices)
	offheap.Free(r.Places)
	offheap.Free(r.Starts)
	offheap.Free(r.Labels)
}
