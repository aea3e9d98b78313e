package build

import (
	"math"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/offheap"
	"gonextdoor/gonextdoor/parallel"
)

// stream is a sequence of edges in input order. read may be called from several goroutines.
type stream interface {
	len() int
	read(lo int, src, dst []uint32) // edges lo, lo+1, ...; len(src) of them
	free()                          // called after the last read, possibly twice
}

// bufferedStream holds the edges of a stream in memory off the Go heap.
type bufferedStream struct{ src, dst []uint32 }

// buffer reads all edges of s into memory. It returns nil if there is too little memory; the caller then reads s itself.
func buffer(s stream, threads int, j *job.Job) (*bufferedStream, error) {
	if offheap.Check(int64(s.len())*8*4) != nil { // sorting needs as much again, or twice as much for mirrored edges
		return nil, nil
	}
	k := &bufferedStream{}
	var err error
	if k.src, err = offheap.Make[uint32](s.len()); err != nil {
		return nil, err
	}
	if k.dst, err = offheap.Make[uint32](s.len()); err != nil {
		k.free()
		return nil, err
	}
	err = parallel.For(j, threads, s.len(), graph.EdgeChunk, func(lo, hi int) error {
		s.read(lo, k.src[lo:hi], k.dst[lo:hi])
		j.Add(int64(hi - lo))
		return nil
	})
	if err != nil {
		k.free()
		return nil, err
	}
	return k, nil
}

func (k *bufferedStream) len() int { return len(k.src) }

func (k *bufferedStream) read(lo int, src, dst []uint32) {
	copy(src, k.src[lo:])
	copy(dst, k.dst[lo:])
}

func (k *bufferedStream) free() {
	offheap.Free(k.src)
	offheap.Free(k.dst)
	k.src, k.dst = nil, nil
}

// filter selects and mirrors the edges of a stream.
type filter struct {
	mirror    bool   // add the reverse of every edge but self-loops
	dropLoops bool   // remove self-loops
	first     uint32 // only rows first ... first+rows-1 are wanted
	rows      int
	all       bool // these are all rows
}

// arcs is a block of edges of a stream after the filter. The arcs of one input edge are adjacent, forward before reverse.
type arcs struct {
	src, dst [2 * arcBlock]uint32
	edge     [2 * arcBlock]uint32 // the input edge, relative to the first of the block
	raw      [2][arcBlock]uint32  // the edges before the filter
}

// arcBlock is the number of edges that are filtered at a time: the arrays of a block stay in the L1 cache.
const arcBlock = 1024

// read fills a with the edges lo ... hi-1 of s, at most arcBlock, and returns the number of arcs.
func (a *arcs) read(s stream, f *filter, lo, hi int) int {
	n := hi - lo
	if !f.mirror && !f.dropLoops && f.all {
		s.read(lo, a.src[:n], a.dst[:n])
		for i := range n {
			a.edge[i] = uint32(i)
		}
		return n
	}
	s.read(lo, a.raw[0][:n], a.raw[1][:n])
	k := 0
	for i := range n {
		u, v := a.raw[0][i], a.raw[1][i]
		if u == v && f.dropLoops {
			continue
		}
		a.src[k], a.dst[k], a.edge[k] = u, v, uint32(i)
		k += within(u, f)
		if f.mirror && u != v {
			a.src[k], a.dst[k], a.edge[k] = v, u, uint32(i)
			k += within(v, f)
		}
	}
	return k
}

// within returns 1 for a row of the filter and 0 for others. Adding it to an index keeps an arc without a branch.
func within(u uint32, f *filter) int {
	if u-f.first < uint32(min(f.rows, math.MaxUint32)) {
		return 1
	}
	return 0
}
