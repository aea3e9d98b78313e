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

// LabelRows are the rows of a graph with the edges of each row ordered by label; edges of equal label keep their order. Row v
// is [Indptr[v], Indptr[v+1]), as in the graph.
type LabelRows struct {
	Indices []uint32 // the end point of each edge; empty: no table
	Places  []uint32 // the index of the edge in the row of the graph: its position is Indptr[v] + Places[i]
	Kinds   []int32  // the distinct labels, ascending
	Starts  []uint64 // Starts[v*len(Kinds)+k] is the first edge of v with label Kinds[k]; the last element is NumEdges
	Labels  []int32  // the label of each edge, for Search, if there are too many kinds for Starts
}

// startsPerEdge is the largest size of Starts per edge of the graph.
const startsPerEdge = 2

// Kind returns the index of a label in Kinds, or -1 if no edge has it.
func (r *LabelRows) Kind(label int32) int {
	if k, ok := slices.BinarySearch(r.Kinds, label); ok {
		return k
	}
	return -1
}

// OfKind returns the range of the edges of v with label Kinds[kind] in Indices and Places. Starts must not be nil.
func (r *LabelRows) OfKind(v uint32, kind int) (first, end uint64) {
	at := int(v)*len(r.Kinds) + kind
	return r.Starts[at], r.Starts[at+1]
}

// Search returns the range of a label within the row [first, end), by a binary search in Labels.
func (r *LabelRows) Search(first, end uint64, label int32) (uint64, uint64) {
	row := r.Labels[first:end]
	lo := sort.Search(len(row), func(i int) bool { return row[i] >= label })
	n := sort.Search(len(row)-lo, func(i int) bool { return row[lo+i] > label })
	return first + uint64(lo), first + uint64(lo+n)
}

var (
	labelRowsKey  = graph.NewKey(func(r LabelRows) { r.free() })
	labelRowsWork = graph.NewKey[*atomic.Int64](nil)
	labelKindsKey = graph.NewKey[[]int32](nil)
)

// LabelRowsOf returns the table of a graph with labels. work is the number of choices that the caller expects to make. The
// table is built once the work of all calls adds up to one unit per edge, which pays for building it. Until then it is empty.
func LabelRowsOf(g *graph.Graph, work int, opts graph.Options) (LabelRows, error) {
	g = g.Base()
	if announce(labelRowsWork, g, work) < int64(g.NumEdges()) {
		return labelRowsKey.Now(g), nil
	}
	return labelRowsKey.Get(g, func() (LabelRows, error) { return makeLabelRows(g, opts) })
}

// LabelRowsNow returns the table if it has been built; otherwise it is empty.
func LabelRowsNow(g *graph.Graph) LabelRows { return labelRowsKey.Now(g.Base()) }

// LabelKinds returns the distinct labels, ascending, or nil if there are too many for Starts. The first call for a graph reads all
// labels.
func LabelKinds(g *graph.Graph, opts graph.Options) ([]int32, error) {
	g = g.Base()
	return labelKindsKey.Get(g, func() ([]int32, error) {
		return Kinds(g, startsPerEdge*g.NumEdges()/max(1, g.NumVertices()), opts)
	})
}

// makeLabelRows builds the table: with Starts if there are few labels, with Labels otherwise.
func makeLabelRows(g *graph.Graph, opts graph.Options) (r LabelRows, err error) {
	defer func() {
		if err != nil {
			r.free()
			r = LabelRows{}
		}
	}()
	if g.MaxDegree() > math.MaxUint32 {
		return r, refuse.Value("graph: a vertex has %d edges; expected 2^32 - 1 at most, for rows by label", g.MaxDegree())
	}
	if r.Kinds, err = LabelKinds(g, opts); err != nil {
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
		return r, r.sort(g, opts)
	}
	if r.Starts, err = offheap.Make[uint64](g.NumVertices()*len(r.Kinds) + 1); err != nil {
		return r, err
	}
	r.Starts[len(r.Starts)-1] = uint64(g.NumEdges())
	return r, r.count(g, opts)
}

// Kinds returns the distinct labels of the edges, ascending, or nil if there are more than most.
func Kinds(g *graph.Graph, most int, opts graph.Options) ([]int32, error) {
	var all []int32
	var mu sync.Mutex
	err := parallel.For(opts.Job, opts.Threads, g.NumEdges(), graph.EdgeChunk, func(lo, hi int) error {
		var own []int32 // distinct labels of this chunk, ascending
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

// count orders each row by a counting sort of its labels.
func (r *LabelRows) count(g *graph.Graph, opts graph.Options) error {
	// Consecutive labels need no search.
	kind := r.Kind
	if n := len(r.Kinds); n > 0 && int(r.Kinds[n-1])-int(r.Kinds[0]) == n-1 {
		least := r.Kinds[0]
		kind = func(label int32) int { return int(label - least) }
	}
	return parallel.For(opts.Job, opts.Threads, g.NumVertices(), graph.VertexChunk, func(lo, hi int) error {
		next := make([]uint64, len(r.Kinds)+1) // index of the next edge of each kind
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

// sort orders each row by a comparison sort of its labels.
func (r *LabelRows) sort(g *graph.Graph, opts graph.Options) error {
	return parallel.For(opts.Job, opts.Threads, g.NumVertices(), graph.VertexChunk, func(lo, hi int) error {
		var keys []uint64 // label and place, so that no two are equal and the order is stable
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

// free frees the arrays.
func (r *LabelRows) free() {
	offheap.Free(r.Indices)
	offheap.Free(r.Places)
	offheap.Free(r.Starts)
	offheap.Free(r.Labels)
}
