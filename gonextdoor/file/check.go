package file

import (
	"errors"
	"hash/crc32"
	"slices"
	"sync/atomic"
	"unicode/utf8"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/parallel"
	"gonextdoor/gonextdoor/refuse"
)

// check reads the arrays of a mapped graph through: checksums, rows, and what the record says of them.
func (f *folder) check(g *graph.Graph) error {
	err := f.checkSums(g)
	if err == nil {
		err = f.checkRows(g)
	}
	if err == nil {
		err = f.checkNames(g)
	}
	if errors.Is(err, parallel.ErrPanic) {
		for _, m := range f.maps {
			if m.short() {
				return refuse.Format("%s became shorter after it was opened: restore it and open the graph again", m.path)
			}
		}
	}
	return err
}

// checkSums compares the arrays with their checksums.
func (f *folder) checkSums(g *graph.Graph) error {
	return parallel.For(nil, 0, len(arrays), 1, func(i, _ int) error {
		a := arrays[i]
		m, mapped := f.maps[a.name]
		if data := a.get(g); data == nil || !mapped {
			return nil
		}
		want, err := f.record.Arrays[a.name].checksum()
		if err != nil {
			return err
		}
		if sum := crc32.Checksum(m.array(), castagnoli); sum != want {
			return refuse.Format("%s: the checksum of the data is %08x, %s says %08x: the file was damaged or changed",
				m.path, sum, recordName, want)
		}
		return nil
	})
}

// rowChunk is how many rows are checked at a time.
const rowChunk = 1 << 14

// checkRows refuses what is no graph in compressed sparse rows, sorted.
func (f *folder) checkRows(g *graph.Graph) error {
	path := f.maps["indptr"].path
	n, m := g.NumVertices(), uint64(g.NumEdges())
	if g.Indptr[0] != 0 || g.Indptr[n] != m {
		return refuse.Format("%s: goes from %d to %d, expected 0 to %d", path, g.Indptr[0], g.Indptr[n], m)
	}
	var largest atomic.Uint64
	var sinks atomic.Bool
	err := parallel.For(nil, 0, n, rowChunk, func(lo, hi int) error {
		most, sink := uint64(0), false
		for u := lo; u < hi; u++ {
			first, end := g.Indptr[u], g.Indptr[u+1]
			if end < first || end > m {
				return refuse.Format("%s: element %d is %d and element %d is %d, expected ascending offsets up to %d", path, u, first, u+1, end, m)
			}
			if err := f.checkRow(g.Indices[first:end], uint32(n), u); err != nil {
				return err
			}
			most, sink = max(most, end-first), sink || end == first
		}
		for old := largest.Load(); most > old && !largest.CompareAndSwap(old, most); old = largest.Load() {
		}
		if sink {
			sinks.Store(true)
		}
		return nil
	})
	if err == nil && (largest.Load() != g.MaxDegree() || sinks.Load() != g.HasSinks()) {
		return refuse.Format("%s: the largest degree is %d and sinks: %t, %s says %d and %t", path,
			largest.Load(), sinks.Load(), recordName, g.MaxDegree(), g.HasSinks())
	}
	return err
}

// checkRow refuses a row that is not sorted or leads to vertices that the graph does not have.
func (f *folder) checkRow(row []uint32, n uint32, u int) error {
	last, bad := uint32(0), uint32(0)
	for _, v := range row {
		if v < last {
			bad++
		}
		last = v
	}
	if bad > 0 || len(row) > 0 && last >= n {
		return refuse.Format("%s: the neighbours of vertex %d are not sorted, or not below %d", f.maps["indices"].path, u, n)
	}
	return nil
}

// checkNames refuses names in text that do not lie one behind the other.
func (f *folder) checkNames(g *graph.Graph) error {
	m, ok := f.maps["names_offsets"]
	if !ok {
		return nil
	}
	return parallel.Do(1, func(int) error {
		offsets, text := g.Names.Offsets, g.Names.Text
		if offsets[0] != 0 || offsets[len(offsets)-1] != uint64(len(text)) || !slices.IsSorted(offsets) {
			return refuse.Format("%s: expected ascending offsets from 0 to %d", m.path, len(text))
		}
		if !utf8.Valid(text) {
			return refuse.Format("%s: expected UTF-8", f.maps["names_text"].path)
		}
		return nil
	})
}
