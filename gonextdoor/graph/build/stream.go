package build

import (
	"math"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/offheap"
	"gonextdoor/gonextdoor/parallel"
)

// stream is edges in the order of their input. read may be called from several threads.
type stream interface {
	len() int
	read(lo int, src, dst []uint32) // edges lo, lo+1, ... as many as fit
	free()                          // called when the edges have been read for the last time, perhaps twice
}

// kept is a stream whose edges are costly to make, in memory.
type bufferedStream struct{ src, dst []uint32 }

// keep makes all edges of s, or gives nil where there is little memory: then they are made as often as they are read.
func buffer(s stream, threads int, j *job.Job) (*bufferedStream, error) {
	if offheap.Check(int64(s.len())*8*4) != nil { // rows need as much again, or twice of it where they are mirrored
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

// filter says what becomes of the edges of a stream.
type filter struct {
	mirror    bool   // the reverse of every edge is there too, but for self-loops
	dropLoops bool   // self-loops are left out
	first     uint32 // only rows first ... first+rows-1 are wanted
	rows      int
	all       bool // these are all rows
}

// arcs are a few edges of a stream after the filter: those of one input edge one behind the other, the forward before
// the reverse.
type arcs struct {
	src, dst [2 * arcBlock]uint32
	edge     [2 * arcBlock]uint32 // the input edge, counted from the block's first
	raw      [2][arcBlock]uint32
}

// arcBlock is how many edges are filtered at a time: the block's arrays stay in the first-level cache.
const arcBlock = 1024

// read fills a with the edges lo ... hi-1 of s, at most arcBlock, and gives the number of arcs.
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

// within is 1 for a row that is wanted and 0 for others: adding it keeps an arc without a branch.
func within(u uint32, f *filter) int {
	if u-f.first < uint32(min(f.rows, math.MaxUint32)) {
		return 1
	}
	return 0
}
