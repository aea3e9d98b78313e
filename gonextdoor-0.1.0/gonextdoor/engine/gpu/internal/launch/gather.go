package launch

import (
	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/engine/gpu/resident"
	"gonextdoor/gonextdoor/engine/gpu/transfer"
)

// Gather copies results of several GPUs to one result in the memory of d. The shards are in the order of the rows, have the
// same arrays and are settled. It returns when all work has been submitted: each shard is copied in its stream, and s waits
// for the copies. The caller frees the result.
func Gather(d *cuda.Device, s cuda.Stream, shards []*Result) (*Result, error) {
	one := shards[0]
	all := &Result{Device: d, Stream: s, Width: one.Width, Roots: one.Roots}
	if one.Layers != nil {
		all.Layers = &LayerArrays{}
	}
	for _, r := range shards {
		all.Rows, all.Total = all.Rows+r.Rows, all.Total+r.Total
		if r.Layers != nil {
			all.Layers.EndCount += r.Layers.EndCount
			all.Layers.LinkCount += r.Layers.LinkCount
		}
	}
	all.Stride = Stride(all.Rows)
	err := d.Do(func() error {
		err := all.gather(shards)
		if err == nil {
			all.Ready, err = d.NewEvent()
		}
		if err == nil {
			err = all.Ready.Record(s)
		}
		if err != nil {
			for _, r := range shards { // they may be writing to the memory
				_ = r.Device.Do(r.Stream.Synchronize)
			}
			_ = all.Discard()
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return all, nil
}

// resultArray is one array of a result.
type resultArray struct {
	memory   *cuda.Memory
	size     int // bytes per element
	elements int // per slot; without the end of offsets
	slots    int // of a matrix; 1: all others
	divided  int // by offsets: the elements of the array that they divide; -1: no offsets
}

// arrays returns the arrays of a result with or without ids of edges and links. Two results of one app have the same ones.
func (r *Result) arrays(edges, links bool) (all []resultArray) {
	vertices, slots, taken := r.Rows, r.Width, r.Width-r.Roots
	if r.Width == 0 {
		vertices, slots, taken = r.Total, 1, 1
	}
	all = append(all, resultArray{&r.Vertices, 4, vertices, slots, -1})
	if edges {
		all = append(all, resultArray{&r.Edges, 8, vertices, taken, -1})
	}
	if r.Width == 0 {
		all = append(all, resultArray{&r.Offsets, 8, r.Rows, 1, r.Total})
	}
	if l := r.Layers; l != nil {
		all = append(all,
			resultArray{&l.Parents, 4, r.Total, 1, -1}, resultArray{&l.EndsFrom, 8, r.Rows, 1, l.EndCount},
			resultArray{&l.Ends, 4, l.EndCount, 1, -1})
		if links {
			n := l.LinkCount
			all = append(all,
				resultArray{&l.LinksFrom, 8, r.Rows, 1, n}, resultArray{&l.Sources, 4, n, 1, -1}, resultArray{&l.Targets, 4, n, 1, -1},
				resultArray{&l.LinkEdges, 8, n, 1, -1}, resultArray{&l.Values, 8, n, 1, -1})
		}
	}
	return all
}

// allocate allocates the arrays of a result. Empty arrays have an address too. It is called within Device.Do.
func (r *Result) allocate(edges, links bool) (err error) {
	for _, a := range r.arrays(edges, links) {
		elements := a.elements + 1
		if a.slots > 1 {
			elements = r.Stride * a.slots
		}
		if *a.memory, err = resident.Alloc(r.Device, int64(elements*a.size), r.Stream); err != nil {
			return err
		}
	}
	return nil
}

// gather allocates the arrays and submits the copies. It is called within Device.Do.
func (r *Result) gather(shards []*Result) (err error) {
	edges := shards[0].Edges.Address != 0
	links := r.Layers != nil && shards[0].Layers.Recorded()
	// 1. Allocate.
	if err := r.allocate(edges, links); err != nil {
		return err
	}
	arrays := r.arrays(edges, links)
	allocated, err := r.Device.NewEvent()
	if err != nil {
		return err
	}
	defer func() { err = First(err, allocated.Destroy()) }()
	if err := allocated.Record(r.Stream); err != nil {
		return err
	}
	// 2. Copy each shard after the one before, and let its offsets begin there.
	link, err := transfer.Of(r.Device)
	if err != nil {
		return err
	}
	at, divided := make([]int, len(arrays)), make([]int, len(arrays))
	for i, shard := range shards {
		theirs := shard.arrays(edges, links)
		if i == len(shards)-1 {
			for k := range theirs {
				if theirs[k].divided >= 0 {
					theirs[k].elements++ // the end
				}
			}
		}
		if err := r.copyShard(shard, theirs, arrays, at, allocated); err != nil {
			return err
		}
		for k, a := range theirs {
			if a.divided >= 0 {
				if err := link.Add(arrays[k].memory.Address+uintptr(8*at[k]), a.elements, divided[k], r.Stream); err != nil {
					return err
				}
				divided[k] += a.divided
			}
			at[k] += a.elements
		}
	}
	return nil
}

// copyShard submits the copies of a shard's arrays to the elements from at on, in the shard's stream after an event. The
// stream of r waits for them.
func (r *Result) copyShard(shard *Result, theirs, arrays []resultArray, at []int, after cuda.Event) error {
	return joined(r.Stream, shard.Device, shard.Stream, after, func() error {
		for k, a := range theirs {
			for slot := range a.slots {
				to := arrays[k].memory.Address + uintptr((slot*r.Stride+at[k])*a.size)
				from := a.memory.Address + uintptr(slot*shard.Stride*a.size)
				if err := r.Device.CopyFrom(shard.Device, to, from, int64(a.elements*a.size), shard.Stream); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// joined lets submit add work to a stream of another device, after an event, and lets s wait for that work. It is called
// within Device.Do of the device of s.
func joined(s cuda.Stream, other *cuda.Device, theirs cuda.Stream, after cuda.Event, submit func() error) error {
	var done cuda.Event
	err := other.Do(func() error {
		err := theirs.Wait(after)
		if err == nil {
			err = submit()
		}
		if err == nil {
			done, err = other.NewEvent()
		}
		if err != nil {
			return err
		}
		return done.Record(theirs)
	})
	if done == (cuda.Event{}) {
		return err
	}
	return First(err, s.Wait(done), other.Do(done.Destroy))
}
