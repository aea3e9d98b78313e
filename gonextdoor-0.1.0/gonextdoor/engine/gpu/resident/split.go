package resident

import (
	"errors"
	"fmt"
	"slices"
	"sync/atomic"

	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/graph"
)

// split is a layout of a graph that is split over a group of GPUs. Either all of these GPUs have a part for it, or none has.
type split struct {
	group  *group
	graph  *graph.Graph // whose Residents have the parts
	id     fmt.Stringer
	arrays []*splitArray
	parts  []*part // by GPU of the group
	ready  cuda.Event
	holds  atomic.Int64 // of all parts

	builder int // the GPU that builds it
}

// splitArray is one array of a split. Its memory exists once, in pieces; besides, GPUs have replicas of pieces.
type splitArray struct {
	array
	pieces []piece
	home   cuda.Span             // maps all pieces, for all GPUs
	views  []cuda.Span           // by GPU: maps its replicas, and the other pieces; it is home if the GPU has no replicas
	copies []map[int]*cuda.Chunk // by GPU: its replicas, by piece
}

// newSplit returns a split without memory.
func newSplit(over *group, g *graph.Graph, id fmt.Stringer, arrays []array, builder int) *split {
	s := &split{group: over, graph: g, id: id, builder: builder}
	for _, a := range arrays {
		one := &splitArray{array: a, pieces: over.cut(a, g), views: make([]cuda.Span, len(over.stores))}
		for range over.stores {
			one.copies = append(one.copies, map[int]*cuda.Chunk{})
		}
		s.arrays = append(s.arrays, one)
	}
	return s
}

// allocate allocates the pieces of all arrays and maps them for all GPUs. After an error the caller calls free.
func (s *split) allocate() error {
	for _, a := range s.arrays {
		for i := range a.pieces {
			if err := s.allocatePiece(&a.pieces[i]); err != nil {
				return err
			}
		}
		var err error
		if a.home, err = s.mapped(a, func(i int) cuda.Chunk { return a.pieces[i].chunk }); err != nil {
			return err
		}
		for _, st := range s.group.stores {
			if err := a.home.Allow(st.device, 0, a.home.Bytes); err != nil {
				return err
			}
		}
	}
	return nil
}

// allocatePiece allocates the memory of a piece on its home.
func (s *split) allocatePiece(p *piece) error {
	d := s.group.stores[p.home].device
	return d.Do(func() (err error) {
		p.chunk, err = d.NewChunk(p.bytes)
		return err
	})
}

// mapped returns addresses for an array at which a chunk for each piece is mapped. After an error it has freed them.
func (s *split) mapped(a *splitArray, chunk func(i int) cuda.Chunk) (at cuda.Span, err error) {
	last := a.pieces[len(a.pieces)-1]
	if at, err = cuda.NewSpan(last.at + last.bytes); err != nil {
		return cuda.Span{}, err
	}
	for i, p := range a.pieces {
		if err := at.Map(p.at, chunk(i)); err != nil {
			if p.at > 0 {
				_ = at.Unmap(0, p.at) // the pieces before it
			}
			_ = at.Free()
			return cuda.Span{}, err
		}
	}
	return at, nil
}

// divide makes the parts of all GPUs of a layout that has been built, and returns that of the builder.
func (s *split) divide(built *part) *part {
	s.ready = built.ready
	for m := range s.group.stores {
		s.parts = append(s.parts, s.share(m, built))
	}
	return s.parts[s.builder]
}

// share returns the part of one GPU, without the fields of the store.
func (s *split) share(m int, from *part) *part {
	p := &part{scalars: from.scalars, stream: from.stream, ready: s.ready, split: s, gpu: m}
	for _, a := range s.arrays {
		p.memory = append(p.memory, cuda.Memory{Address: a.views[m].Address, Bytes: a.bytes})
		for i, piece := range a.pieces {
			if piece.home == m {
				p.bytes += piece.bytes
			} else if a.copies[m][i] != nil {
				p.bytes += piece.bytes
				p.replicas += piece.bytes
			}
		}
	}
	return p
}

// enter enters the parts into the stores of all GPUs.
func (s *split) enter(kinds []int32) {
	defer s.group.lock()()
	for m, st := range s.group.stores {
		r := st.resident(s.graph)
		if kinds != nil {
			r.kinds = kinds
		}
		st.clock++
		s.parts[m].used = st.clock
		st.held += s.parts[m].bytes
		st.replicas += s.parts[m].replicas
		r.parts[s.id] = s.parts[m]
	}
}

// remove frees the layout on all GPUs and returns true, unless it is held and force is false, or was removed before. It waits
// for all GPUs. No store is locked.
func (s *split) remove(force bool) (removed bool, err error) {
	defer s.group.lock()()
	if !force && s.holds.Load() > 0 {
		return false, nil
	}
	for m, st := range s.group.stores {
		if r := st.residents[s.graph]; r != nil && r.parts[s.id] == s.parts[m] {
			removed = true
			delete(r.parts, s.id)
			st.held -= s.parts[m].bytes
			st.replicas -= s.parts[m].replicas
		}
	}
	if !removed {
		return false, nil
	}
	return true, errors.Join(s.synchronize(), s.free())
}

// synchronize waits for all GPUs.
func (s *split) synchronize() (err error) {
	for _, st := range s.group.stores {
		err = errors.Join(err, st.device.Do(st.device.Synchronize))
	}
	return err
}

// free frees all memory, that of a split whose allocation failed too. No work may be using it.
func (s *split) free() (err error) {
	for _, a := range s.arrays {
		for m := range a.views {
			if a.views[m] != a.home && a.views[m] != (cuda.Span{}) {
				err = errors.Join(err, a.views[m].Unmap(0, a.views[m].Bytes), a.views[m].Free())
			}
			a.views[m] = cuda.Span{}
			for _, c := range a.copies[m] {
				err = errors.Join(err, c.Release())
			}
			a.copies[m] = nil
		}
		if a.home != (cuda.Span{}) {
			err = errors.Join(err, a.home.Unmap(0, a.home.Bytes), a.home.Free())
			a.home = cuda.Span{}
		}
		for i := range a.pieces {
			err = errors.Join(err, a.pieces[i].chunk.Release())
			a.pieces[i].chunk = cuda.Chunk{}
		}
	}
	return errors.Join(err, s.group.stores[0].device.Do(s.ready.Destroy))
}

// allocateSplit allocates the arrays of a layout on all GPUs of the group. It evicts others if the budget or a GPU is full.
func (b *builder) allocateSplit(id fmt.Stringer, arrays []array) error {
	b.split = newSplit(b.over, b.graph, id, arrays, slices.Index(b.over.stores, b.r.store))
	needed := make([]int64, len(b.over.stores))
	for _, a := range arrays {
		for m, bytes := range b.over.needed(a, b.graph) {
			needed[m] += bytes
		}
	}
	for m, st := range b.over.stores {
		err := st.device.Do(func() error { return st.admit(b.r, id, needed[m], b.holding, b.options.Job) })
		if err != nil {
			return err
		}
	}
	if err := b.split.allocate(); err != nil {
		return err
	}
	for _, a := range b.split.arrays {
		if err := b.take(cuda.Memory{Address: a.home.Address, Bytes: a.bytes}, a.array); err != nil {
			return err
		}
	}
	return nil
}

// replicate gives each GPU its addresses of the layout, after the kernels that fill it have been submitted. Replicas take what
// the layouts that the call is still to build leave of each GPU's budget.
func (b *builder) replicate(id fmt.Stringer) error {
	for m, st := range b.over.stores {
		spare, err := st.spare(b.split, m)
		if err != nil {
			return err
		}
		for one, bytes := range b.holding.later {
			if one != id {
				spare -= bytes[m]
			}
		}
		if err := b.split.view(m, b.split.choose(m, spare), b.device, b.stream); err != nil {
			return err
		}
	}
	return nil
}

// spare returns how many bytes of the GPU are left for replicas of a layout whose pieces have been allocated.
func (s *store) spare(of *split, m int) (bytes int64, err error) {
	own := int64(0)
	for _, a := range of.arrays {
		for _, p := range a.pieces {
			if p.home == m {
				own += p.bytes
			}
		}
	}
	err = s.device.Do(func() error {
		free, total, err := s.device.FreeMemory()
		limit, reserve := budget(total)
		s.lock.Lock()
		defer s.lock.Unlock()
		bytes = min(free-reserve, limit-s.held-own, replicaLimit(total)-s.replicas)
		return err
	})
	return bytes, err
}
