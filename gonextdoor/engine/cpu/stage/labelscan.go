package stage

import (
	"math/bits"
	"unsafe"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/rng"
)

// labelScan chooses edges with the labels of a path in rows that are not ordered by label. Threads share it.
type labelScan struct {
	sums   []index.LabelSums // of each label of the path
	labels []int32
	biases []uint32 // empty: choices are uniform
}

const (
	// unsummed is the number of edges up to which rows are added up at each visit.
	unsummed = 2 * index.LabelSegment
	// scratchSums is the number of sums of a row that a thread keeps on its stack if they are not stored.
	scratchSums = 512
)

// NewLabelScan returns the path with some labels in the rows of a graph as they are. Choices follow weights if weighted is true.
func NewLabelScan(g *graph.Graph, weighted bool, path []int32) LabelPath {
	scan := &labelScan{sums: index.LabelSumsOf(g, weighted, path), labels: g.Labels}
	if weighted {
		scan.biases = g.Biases
	}
	return LabelPath{Rows: index.LabelRows{Indices: g.Indices}, path: path, scan: scan}
}

// choose is LabelPath.Choose for a label, with its sums. The candidates are whole rows, of which edges with another label have no bias.
func (l *labelScan) choose(t *Tables, w *Walkers, n int, sums index.LabelSums, label int32) {
	var scratch [scratchSums]uint64
	if !t.pure {
		l.prefetchRows(w, n, sums.Ends())
	}
	// 1. Find the sums that edges are searched for. Choose unless the sums of the row are stored; these walkers are listed in Check. Edge
	// is the segment that the word chooses if all biases are equal.
	stored := 0
	for i, word := range w.Position[:n] {
		first, end := w.First[i], w.First[i]+uint64(w.Count[i])
		if first == t.Edges {
			w.Position[i] = t.Edges
			continue
		}
		row, total, known := l.visit(sums, first, end, label, &scratch, t.pure)
		x, _ := bits.Mul64(word, total)
		switch {
		case total == 0:
			w.Position[i] = t.Edges
		case known:
			edge, _ := rng.Below(word, end-first)
			w.Check[stored], w.Hash[stored], w.Edge[stored] = uint32(i), x, (first+edge)/index.LabelSegment
			stored++
		default:
			at, left := findEdges(row, first, x)
			w.Position[i] = l.above(at, label, left, t.pure)
		}
	}
	// 2. Find the segments.
	if !t.pure {
		PrefetchWords(unsafe.SliceData(sums.Ends()), w.Edge[:stored])
	}
	for k, i := range w.Check[:stored] {
		row := sums.Row(w.First[i], w.First[i]+uint64(w.Count[i]))
		w.Edge[k], w.Hash[k] = findEdges(row, w.First[i], w.Hash[k])
	}
	// 3. Find the edges.
	if !t.pure {
		l.prefetchEdges(w.Edge[:stored])
	}
	for k, i := range w.Check[:stored] {
		w.Position[i] = l.above(w.Edge[k], label, w.Hash[k], t.pure)
	}
}

// visit returns the sums of the row [first, end) and their total. known is whether they are stored. If not, they are in scratch, or nil.
func (l *labelScan) visit(sums index.LabelSums, first, end uint64, label int32, scratch *[scratchSums]uint64, pure bool) (row index.RowSums, total uint64, known bool) {
	if end-first > unsummed {
		row = sums.Row(first, end)
		if total, known = row.Total(); known {
			return row, total, true
		}
		if row.Begin() {
			total = l.add(row, first, end, label, pure)
			row.End(total)
			return row, total, true
		}
		if row = nil; index.SegmentAfter(end)-index.SegmentAfter(first) <= scratchSums {
			row = scratch[:index.SegmentAfter(end)-index.SegmentAfter(first)]
		}
	}
	return row, l.add(row, first, end, label, pure), false
}

// findEdges returns the first edge of the segment in which the sum of a row exceeds x, and x less the sum before it. Without sums this is
// the first edge of the row.
func findEdges(row index.RowSums, first, x uint64) (at, left uint64) {
	segment, before := row.Find(x)
	if segment == 0 { // it has the edges before it, too
		return first, x
	}
	return (index.SegmentAfter(first) + uint64(segment)) * index.LabelSegment, x - before
}

// prefetchRows prefetches the last sums of long rows, and the first edges of others. It overwrites Edge and Hash.
func (l *labelScan) prefetchRows(w *Walkers, n int, sums []uint64) {
	long, short := 0, 0
	for i, first := range w.First[:n] {
		if count := uint64(w.Count[i]); count > unsummed && sums != nil {
			w.Edge[long] = index.SegmentAfter(first+count) - 1
			long++
		} else {
			w.Hash[short] = first
			short++
		}
	}
	PrefetchWords(unsafe.SliceData(sums), w.Edge[:long])
	l.prefetchEdges(w.Hash[:short])
}

// prefetchEdges prefetches labels and biases.
func (l *labelScan) prefetchEdges(edges []uint64) {
	PrefetchIndices((*uint32)(unsafe.Pointer(unsafe.SliceData(l.labels))), edges)
	if len(l.biases) > 0 {
		PrefetchIndices(unsafe.SliceData(l.biases), edges)
	}
}

// add returns the sum of the row [first, end), and writes all of its sums but the last to row, unless that is nil.
func (l *labelScan) add(row index.RowSums, first, end uint64, label int32, pure bool) (sum uint64) {
	for k := range max(0, len(row)-1) {
		next := (index.SegmentAfter(first) + 1) * index.LabelSegment
		if k > 0 {
			next = first + index.LabelSegment
		}
		sum += l.sum(first, next, label, pure)
		row[k], first = sum, next
	}
	return sum + l.sum(first, end, label, pure)
}

// sum returns the sum of the biases of the edges in [first, end) with a label.
func (l *labelScan) sum(first, end uint64, label int32, pure bool) (sum uint64) {
	if n := int(end-first) &^ 3; haveAssembly && !pure && n > 0 {
		sum = sumLabelled(&l.labels[first], l.biasesFrom(first), n, label)
		first += uint64(n)
	}
	if len(l.biases) == 0 {
		for _, x := range l.labels[first:end] {
			sum += equal(x, label)
		}
		return sum
	}
	biases := l.biases[first:end]
	for i, x := range l.labels[first:end] {
		sum += equal(x, label) * uint64(biases[i])
	}
	return sum
}

// above returns the first edge from at on with which the sum of the biases with a label exceeds x.
func (l *labelScan) above(at uint64, label int32, x uint64, pure bool) uint64 {
	if n := (len(l.labels) - int(at)) &^ 3; haveAssembly && !pure && n > 0 {
		var passed int
		passed, x = aboveLabelled(&l.labels[at], l.biasesFrom(at), n, label, x)
		at += uint64(passed)
	}
	for ; ; at++ {
		bias := equal(l.labels[at], label)
		if len(l.biases) > 0 {
			bias *= uint64(l.biases[at])
		}
		if x < bias {
			return at
		}
		x -= bias
	}
}

// biasesFrom returns the address of the bias of an edge, nil if choices are uniform.
func (l *labelScan) biasesFrom(at uint64) *uint32 {
	if len(l.biases) == 0 {
		return nil
	}
	return &l.biases[at]
}

// equal returns 1 if two labels are equal and 0 otherwise, without a branch: CPUs do not predict labels.
func equal(a, b int32) uint64 { return (uint64(uint32(a^b)) - 1) >> 63 }
