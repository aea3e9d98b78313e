package pagerank

import (
	"gonextdoor/gonextdoor/engine/cpu/internal/buffer"
	"gonextdoor/gonextdoor/output"
	"gonextdoor/gonextdoor/parallel"
)

// scoreRows collects rows in the order in which threads finish them, in columns per worker. Workers call begin and add
// concurrently, each with its number.
type scoreRows struct {
	chunk   int
	pieces  []scorePiece  // of chunk rows each
	lengths []int64       // entries of each row
	totals  []int64       // visits of each row
	columns [][3][]uint32 // by worker: vertices, visits and walks, lent from offheap.Results
	sizes   []int         // by worker: entries in the columns
}

// scorePiece locates the rows of a chunk: the worker, and the first entry in its columns.
type scorePiece struct{ worker, at int }

// newScoreRows returns the collector of a call in chunks of rows.
func newScoreRows(rows, chunk, workers int) *scoreRows {
	return &scoreRows{
		chunk: chunk, pieces: make([]scorePiece, (rows+chunk-1)/chunk), lengths: make([]int64, rows),
		totals: make([]int64, rows), columns: make([][3][]uint32, workers), sizes: make([]int, workers),
	}
}

// begin records that a worker adds the rows of a chunk, from row on.
func (f *scoreRows) begin(worker, row int) {
	f.pieces[row/f.chunk] = scorePiece{worker, f.sizes[worker]}
}

// add appends the counts of a row to the columns of a worker.
func (f *scoreRows) add(worker, row int, k *ranker) error {
	entries := k.entries()
	at := f.sizes[worker]
	size := at + len(entries)
	c := &f.columns[worker]
	if size > len(c[0]) {
		capacity := max(size, 2*len(c[0]), 1<<14)
		for i := range c {
			if err := buffer.GrowLent(&c[i], capacity, k.job); err != nil {
				return err
			}
		}
	}
	vertices, visits, walks := c[0][at:size], c[1][at:size], c[2][at:size]
	for i, entry := range entries {
		e := &k.counts.slots[uint32(entry)]
		vertices[i], visits[i], walks[i] = e.vertex, e.visits, e.walks
	}
	f.sizes[worker] = size
	f.lengths[row], f.totals[row] = int64(len(entries)), k.counts.total
	return nil
}

// result copies the rows, in order, to a result lent from offheap.Results.
func (f *scoreRows) result(threads int) (output.Scores, error) {
	all := 0
	for _, n := range f.lengths {
		all += int(n)
	}
	s, err := output.LendScores(len(f.lengths), all)
	if err != nil {
		return s, err
	}
	s.Offsets[0] = 0
	for i, n := range f.lengths {
		s.Offsets[i+1] = s.Offsets[i] + n
	}
	copy(s.Total, f.totals)
	return s, parallel.For(nil, threads, len(f.pieces), 64, func(lo, hi int) error {
		for p := lo; p < hi; p++ {
			piece, first := f.pieces[p], s.Offsets[p*f.chunk]
			n := int(s.Offsets[min((p+1)*f.chunk, len(f.lengths))] - first)
			for i, column := range []([]uint32){s.Vertices, s.Visits, s.Walks} {
				copy(column[first:int(first)+n], f.columns[piece.worker][i][piece.at:])
			}
		}
		return nil
	})
}

// free returns the columns.
func (f *scoreRows) free() {
	for _, c := range f.columns {
		for _, column := range c {
			buffer.Return(column)
		}
	}
}
