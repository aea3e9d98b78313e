package resident

import (
	"sync"
	"unsafe"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/parallel"
	"gonextdoor/kernels"
)

// uploadLongAlias uploads the alias tables of rows that are too long for a thread of the GPU. They are built on the host, in
// pinned memory. It returns when the tables have arrived.
func (b *builder) uploadLongAlias(at uintptr) error {
	rows, most, err := b.longRows()
	if err != nil || len(rows) == 0 {
		return err
	}
	u, err := newUploader(b.device, b.stream, b.options, deviceQuad*most)
	if err != nil {
		return err
	}
	defer u.end()
	for len(rows) > 0 {
		n, slots := 0, int64(0)
		for ; n < len(rows); n++ {
			degree := int64(b.graph.Degree(rows[n]))
			if deviceQuad*(slots+degree) > u.chunk {
				break
			}
			slots += degree
		}
		if n == 0 { // a row that does not fit into a buffer
			table := make([]index.AliasSlot, b.graph.Degree(rows[0]))
			if err := index.AliasRows(b.graph, rows[:1], table, b.options); err != nil {
				return err
			}
			to := at + uintptr(deviceQuad)*uintptr(b.graph.Indptr[rows[0]])
			if err := u.copy(to, address(table), deviceQuad*int64(len(table))); err != nil {
				return err
			}
			rows = rows[1:]
			continue
		}
		if err := u.aliasRows(b.graph, rows[:n], at, deviceQuad*slots); err != nil {
			return err
		}
		rows = rows[n:]
	}
	return nil
}

// aliasRows uploads the alias tables of rows, which take that many bytes in all, at most a buffer.
func (u *uploader) aliasRows(g *graph.Graph, rows []uint32, at uintptr, bytes int64) error {
	return u.send(bytes, func(into []byte) error {
		return index.AliasRows(g, rows, elements[index.AliasSlot](into), u.options)
	}, func(from unsafe.Pointer) error {
		for _, row := range rows {
			n := deviceQuad * int64(g.Degree(row))
			if err := u.device.CopyIn(at+uintptr(deviceQuad)*uintptr(g.Indptr[row]), from, n, u.stream); err != nil {
				return err
			}
			from = unsafe.Add(from, n)
		}
		return nil
	})
}

// longRows returns the rows of uploadLongAlias, in any order, and the number of their edges.
func (b *builder) longRows() (rows []uint32, edges int64, err error) {
	var lock sync.Mutex
	g := b.graph
	err = parallel.For(b.options.Job, b.options.Threads, g.NumVertices(), graph.VertexChunk, func(lo, hi int) error {
		for u := lo; u < hi; u++ {
			degree := g.Indptr[u+1] - g.Indptr[u]
			if degree <= kernels.AliasThreadEdges {
				continue
			}
			lock.Lock()
			rows, edges = append(rows, uint32(u)), edges+int64(degree)
			lock.Unlock()
		}
		return nil
	})
	return rows, edges, err
}

// elements returns the elements that pinned memory is to receive.
func elements[T any](into []byte) []T {
	var one T
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(into))), uintptr(len(into))/unsafe.Sizeof(one))
}
