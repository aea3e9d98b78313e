package cpu

import (
	"math/bits"
	"unsafe"

	"gonextdoor/gonextdoor/engine/cpu/stage"
	"gonextdoor/gonextdoor/offheap"
	"gonextdoor/gonextdoor/output"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/gonextdoor/refuse"
)

// traces holds the steps of a piece of samples whose lengths are not known before they end. Each sample has a row, and
// a further row each time the last is full. The first place of a row holds the place behind its last step so far; roots
// are kept apart. The steps of a sample begin at such a place that a sample of the greatest length ends with a full
// row: so to look for full rows is to look for that length as well.
type traces struct {
	vertices []uint32 // lent, as edges
	edges    []uint64 // positions; nil: not wanted
	width    int      // of a row, a power of two
	shift    int      // its logarithm
	first    int      // place of a sample's first step in its first row
	most     int      // steps of a sample at most, or 0

	lo, samples int      // the piece
	roots       []uint32 // of the samples
	rows        []row    // the samples', then the further ones
	base, end   int      // the piece's place in the result
}

// row says where a row of a trace belongs.
type row struct {
	depth uint32 // how many rows of the sample lie before it
	next  uint32 // the sample's next row, or 0
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
	t := &traces{width: width, shift: bits.TrailingZeros(uint(width)), first: 1, most: most}
	if most > 0 {
		t.first = width - 1 - (most-1)%(width-1)
	}
	if edges {
		t.edges = []uint64{}
	}
	return t
}

// begin empties the traces for the piece [lo, hi).
func (t *traces) begin(lo, hi int) error {
	t.lo, t.samples = lo, hi-lo
	if len(t.roots) < t.samples {
		t.roots = make([]uint32, t.samples)
		t.rows = make([]row, 0, 2*t.samples)
	}
	t.rows = t.rows[:t.samples]
	clear(t.rows)
	return t.reserve(t.samples)
}

// reserve makes room for so many rows.
func (t *traces) reserve(rows int) error {
	size := rows*t.width + stage.Packed // which copies some steps too many
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

// stepsIn gives the number of steps in a row, of which the first is at its place first.
func (t *traces) stepsIn(at, first int) int {
	return int(t.vertices[at<<t.shift]) - at<<t.shift - first
}

// extend gives the place in a further row for the walk that has filled the row before a place; more is false where the
// walk has its greatest length.
func (t *traces) extend(place uint32) (next uint32, more bool, err error) {
	full := place>>t.shift - 1
	r := t.rows[full]
	if t.most > 0 && t.width-t.first+int(r.depth)*(t.width-1) == t.most {
		return 0, false, nil
	}
	further := len(t.rows)
	if (further+1)*t.width > len(t.vertices) {
		if err := t.reserve(2 * further); err != nil {
			return 0, false, err
		}
	}
	t.rows[full].next = uint32(further)
	t.rows = append(t.rows, row{depth: r.depth + 1})
	return uint32(further*t.width + 1), true, nil
}

// total gives the number of vertices in the piece, roots included.
func (t *traces) total() int {
	n := t.samples
	for at := range t.rows {
		first := 1
		if at < t.samples {
			first = t.first
		}
		n += t.stepsIn(at, first)
	}
	return n
}

// write puts the samples in their places of the result.
func (t *traces) write(out output.Ragged, tables *stage.Tables) {
	base, packing := t.base, t.packing(out)
	for i := 0; i < t.samples; i++ {
		if t.edges == nil {
			i, base = tables.Pack(&packing, i, base)
			if i == t.samples {
				return
			}
		}
		base = t.writeOne(out, tables, i, base)
	}
}

// packing describes the piece to the stage that writes most of it.
func (t *traces) packing(out output.Ragged) stage.Packing {
	longest := t.width - t.first
	if t.most == 0 || t.most > longest {
		longest-- // a full row may have a next
	}
	return stage.Packing{
		Rows: unsafe.Pointer(&t.vertices[0]), Width: uint64(t.width), First: uint64(t.first), Longest: uint64(longest),
		Roots: unsafe.Pointer(&t.roots[0]), Samples: t.samples,
		Offsets: unsafe.Pointer(&out.Offsets[t.lo]), Vertices: unsafe.Pointer(&out.Vertices[0]), End: t.end,
	}
}

// writeOne writes sample i from vertex base on, and gives the next one's base.
func (t *traces) writeOne(out output.Ragged, tables *stage.Tables, i, base int) int {
	out.Offsets[t.lo+i], out.Vertices[base] = int64(base), t.roots[i]
	if t.edges != nil {
		out.Edges[base] = -1
	}
	base++
	for at, first := i, t.first; ; first = 1 {
		n, from := t.stepsIn(at, first), at<<t.shift+first
		copy(out.Vertices[base:base+n], t.vertices[from:from+n])
		if t.edges != nil {
			for k, position := range t.edges[from : from+n] {
				out.Edges[base+k] = tables.ID(position)
			}
		}
		base += n
		if at = int(t.rows[at].next); at == 0 {
			return base
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
