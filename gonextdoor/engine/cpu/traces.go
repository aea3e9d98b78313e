package cpu

import (
	"math/bits"
	"unsafe"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/offheap"
	"gonextdoor/gonextdoor/output"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/gonextdoor/refuse"
)

// traces holds the steps of a piece of samples whose lengths are not known before they end. Each sample has a row, and
// a further row each time the last is full; roots are not kept. The first row of a sample begins at such a place that a
// sample of the greatest length ends with a full row: so to look for full rows is to look for that length as well.
type traces struct {
	vertices []uint32 // lent, as edges
	edges    []uint64 // positions; nil: not wanted
	width    int      // of a row, a power of two
	first    int      // place of a sample's first step in its first row
	most     int      // steps of a sample at most, or 0

	lo, samples int   // the piece
	rows        []row // the samples', then the further ones
	steps       []int // of the samples that have ended
	base        int   // the piece's place in the result
}

// row says where a row of a trace belongs.
type row struct {
	sample uint32 // within the piece
	depth  uint32 // how many rows of the sample lie before it
	next   uint32 // the sample's next row, or 0
}

// traceWidth gives the width of rows for walks that stop with a probability and have a greatest length: wide enough
// that few walks need a second row.
func traceWidth(stop float64, most int) int {
	mean := 1 / stop
	if most > 0 {
		mean = min(mean, float64(most))
	}
	width := min(max(plan.TraceSlack*mean, plan.LeastTrace), plan.MostTrace)
	return 1 << bits.Len(uint(width)-1)
}

func newTraces(width, most int, edges bool) *traces {
	t := &traces{width: width, most: most}
	if most > 0 {
		t.first = (width - most%width) % width
	}
	if edges {
		t.edges = []uint64{}
	}
	return t
}

// begin empties the traces for the piece [lo, hi).
func (t *traces) begin(lo, hi int) error {
	t.lo, t.samples = lo, hi-lo
	if len(t.steps) < t.samples {
		t.steps = make([]int, t.samples)
	}
	t.rows = t.rows[:0]
	for i := range t.samples {
		t.rows = append(t.rows, row{sample: uint32(i)})
	}
	return t.reserve(t.samples)
}

// reserve makes room for so many rows.
func (t *traces) reserve(rows int) error {
	size := rows * t.width
	if size <= len(t.vertices) {
		return nil
	}
	if size >= 1<<32 {
		return refuse.Memory("walks of more than 2^32 steps in a piece of %d samples do not fit in memory", t.samples)
	}
	if err := grow(&t.vertices, size); err != nil || t.edges == nil {
		return err
	}
	return grow(&t.edges, size)
}

// place is where the next step of a sample that begins is written.
func (t *traces) place(sample int) uint32 { return uint32(sample*t.width + t.first) }

// ended notes that the walk whose last step lies before a place has ended. A step to None does not count.
func (t *traces) ended(place uint32) {
	r := t.rows[(place-1)/uint32(t.width)]
	steps := int(r.depth)*t.width + int((place-1)%uint32(t.width)) + 1 - t.first
	if t.vertices[place-1] == graph.None {
		steps--
	}
	t.steps[r.sample] = steps
}

// extend gives the place in a further row for the walk that has filled the row before a place; more is false where the
// walk has its greatest length.
func (t *traces) extend(place uint32) (next uint32, more bool, err error) {
	full := place/uint32(t.width) - 1
	r := t.rows[full]
	if t.most > 0 && int(r.depth+1)*t.width-t.first == t.most {
		return 0, false, nil
	}
	further := len(t.rows)
	if (further+1)*t.width > len(t.vertices) {
		if err := t.reserve(2 * further); err != nil {
			return 0, false, err
		}
	}
	t.rows[full].next = uint32(further)
	t.rows = append(t.rows, row{sample: r.sample, depth: r.depth + 1})
	return uint32(further * t.width), true, nil
}

// total gives the number of vertices in the piece, roots included.
func (t *traces) total() int {
	n := t.samples
	for _, steps := range t.steps[:t.samples] {
		n += steps
	}
	return n
}

// write puts the samples in their places of the result.
func (t *traces) write(out output.Ragged, r *run) {
	base := t.base
	for i, steps := range t.steps[:t.samples] {
		out.Offsets[t.lo+i] = int64(base)
		out.Vertices[base] = r.root(t.lo + i)
		if t.edges != nil {
			out.Edges[base] = -1
		}
		base++
		from := i*t.width + t.first
		for at := i; steps > 0; at = int(t.rows[at].next) {
			if at != i {
				from = at * t.width
			}
			n := min(steps, (at+1)*t.width-from)
			copy(out.Vertices[base:base+n], t.vertices[from:from+n])
			if t.edges != nil {
				for k, position := range t.edges[from : from+n] {
					out.Edges[base+k] = r.tables.ID(position)
				}
			}
			base += n
			steps -= n
		}
	}
}

// free gives the memory back.
func (t *traces) free() {
	returned(t.vertices)
	returned(t.edges)
}

// grow replaces a lent array by one of n elements or more that begins with the same ones.
func grow[T any](s *[]T, n int) error {
	var z T
	block, err := offheap.Results.Lend(int64(n) * int64(unsafe.Sizeof(z)))
	if err != nil {
		return err
	}
	larger := unsafe.Slice((*T)(block), n)
	copy(larger, *s)
	returned(*s)
	*s = larger
	return nil
}

func returned[T any](s []T) {
	if len(s) > 0 {
		offheap.Results.Return(uintptr(unsafe.Pointer(unsafe.SliceData(s))))
	}
}
