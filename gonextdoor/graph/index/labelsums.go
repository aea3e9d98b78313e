package index

import (
	"sync"
	"sync/atomic"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/offheap"
)

// LabelSegment is the number of edges of a segment of LabelSums. Sums of an eighth of a byte per edge cost little memory that has not been
// touched, and adding up four cache lines per choice is as fast as adding up two.
const LabelSegment = 64

// sumsPay is the number of sums for which memory is made in the time that one unit of work saves by them.
const sumsPay = 16

// LabelSums are sums of the biases of the edges with one label by segments of LabelSegment edges, in rows that are not ordered by
// label. A row is added up when a walk first visits it. The zero value stores nothing.
type LabelSums struct {
	// ends has, per segment, the sum from the begin of the row that has the first edge of the segment to the end of the segment. For the
	// last segment that begins in a row it is 0 until a caller adds up the row, 1 until all sums are written, and then the sum of the
	// row plus 2.
	ends []uint64
}

// RowSums are the sums of a row: for each segment that begins in the row, the sum from the begin of the row to the end of the segment.
// The last of them is read by Total.
type RowSums []uint64

// LabelSumsOf returns the sums of each label of a path, of weights or of numbers of edges. All callers share them. A label stores
// nothing until the work announced to LabelRowsOf pays for the memory of the path's sums, or if there is no memory for it, or if the
// sums of other labels take as much as rows ordered by label would.
func LabelSumsOf(g *graph.Graph, weighted bool, path []int32) []LabelSums {
	kind := 0
	if !weighted {
		g, kind = g.Base(), 1
	}
	all, segments := make([]LabelSums, len(path)), int(SegmentAfter(uint64(g.NumEdges())))
	if announce(labelRowsWork, g.Base(), 0)*sumsPay < int64(len(path)*segments) {
		return all
	}
	s, _ := labelSumsKeys[kind].Get(g, func() (*labelSums, error) { return &labelSums{of: map[int32]LabelSums{}}, nil })
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, label := range path {
		if _, ok := s.of[label]; !ok && int64(8*len(s.of)*segments) < LabelRowsTable.Bytes(g) {
			if ends, err := offheap.Make[uint64](segments); err == nil {
				s.of[label] = LabelSums{ends}
			}
		}
		all[i] = s.of[label]
	}
	return all
}

// labelSums are the sums of a graph by label.
type labelSums struct {
	mu sync.Mutex
	of map[int32]LabelSums
}

func (s *labelSums) free() {
	for _, sums := range s.of {
		offheap.Free(sums.ends)
	}
}

// labelSumsKeys are the keys of the sums of weights, and of numbers of edges.
var labelSumsKeys = [2]graph.Key[*labelSums]{graph.NewKey((*labelSums).free), graph.NewKey((*labelSums).free)}

// Ends returns the array that RowSums are parts of, for prefetches. It is nil if nothing is stored.
func (s LabelSums) Ends() []uint64 { return s.ends }

// Row returns the sums of the row [first, end), which has more than LabelSegment edges. They are nil if nothing is stored.
func (s LabelSums) Row(first, end uint64) RowSums {
	if s.ends == nil {
		return nil
	}
	return s.ends[SegmentAfter(first):SegmentAfter(end)]
}

// SegmentAfter returns the first segment that begins at an edge or after it.
func SegmentAfter(at uint64) uint64 { return (at + LabelSegment - 1) / LabelSegment }

// Total returns the sum of the row. It is unknown if the row has not been added up.
func (r RowSums) Total() (total uint64, known bool) {
	if len(r) == 0 {
		return 0, false
	}
	total = atomic.LoadUint64(&r[len(r)-1])
	return total - 2, total >= 2
}

// Begin reports whether the caller is the one that adds up the row: it writes all sums but the last and calls End.
func (r RowSums) Begin() bool { return len(r) > 0 && atomic.CompareAndSwapUint64(&r[len(r)-1], 0, 1) }

// End stores the sum of the row, which makes it known to all callers.
func (r RowSums) End(total uint64) { atomic.StoreUint64(&r[len(r)-1], total+2) }

// Find returns the first segment whose sum exceeds x, which the sum of the row does, and the sum before it. Segments count from the
// first one that begins in the row.
func (r RowSums) Find(x uint64) (segment int, before uint64) {
	for n := len(r); n > 1; {
		half := n / 2
		if s := r[segment+half-1]; s <= x {
			segment, before = segment+half, s
		}
		n -= half
	}
	return segment, before
}
