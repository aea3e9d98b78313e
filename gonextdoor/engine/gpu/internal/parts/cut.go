package parts

import (
	"sort"
	"unsafe"

	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/engine/gpu/internal/launch"
	"gonextdoor/gonextdoor/engine/gpu/resident"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/gonextdoor/refuse"
	"gonextdoor/kernels"
)

// Sizes of the arrays in a slot.
const (
	partAlign = 256 // bytes; arrays begin in different blocks of that size
	partLoad  = 32  // bytes that kernels load at once
)

// cut is a cut of a graph into parts, which are ranges of rows, and the sizes of the slots that parts are copied to.
// Part p has the rows [bounds[p], bounds[p+1]). Each part has as many rows as fit into a slot: graph.RowRanges makes ranges
// with equal numbers of edges, but the bytes of a range depend on its number of rows, too.
type cut struct {
	graph     *graph.Graph
	arrays    partArrays
	bounds    []int
	slots     int
	slotBytes int64
}

// span returns the elements of array k that the rows [lo, hi) have: the first one and their number. The last element of several
// edges may be the first of the next rows.
func (c *cut) span(k, lo, hi int) (first, count int64) {
	if a := c.arrays[k]; a.perRow > 0 {
		return a.perRow * int64(lo), a.perRow*int64(hi-lo) + a.ends
	}
	edges := c.arrays[k].edges
	first = int64(c.graph.Indptr[lo]) / edges
	return first, (int64(c.graph.Indptr[hi])+edges-1)/edges - first
}

// each calls f, unless it is nil, with the arrays of a part with the rows [lo, hi): the first element, the number of elements,
// and the place of the first one in a slot. It returns the size of the part. Kernels load elements whose positions are
// multiples of eight or four together, so shifted addresses are multiples of 32.
func (c *cut) each(lo, hi int, f func(k int, first, count, at int64)) (bytes int64) {
	for k, a := range c.arrays {
		first, count := c.span(k, lo, hi)
		at := bytes + first*a.size%partLoad
		if f != nil {
			f(k, first, count, at)
		}
		bytes = aligned(at + count*a.size)
	}
	return bytes
}

// bytes returns the size of a part with the rows [lo, hi).
func (c *cut) bytes(lo, hi int) (all int64) { return c.each(lo, hi, nil) }

func aligned(bytes int64) int64 { return (bytes + partAlign - 1) / partAlign * partAlign }

// cutInto cuts the graph into parts of at most that many bytes. It returns the row that is larger, or -1.
func (c *cut) cutInto(bytes int64) (tooLarge int) {
	n := c.graph.NumVertices()
	c.bounds, c.slotBytes = []int{0}, 0
	for lo := 0; lo < n; {
		rows := sort.Search(n-lo, func(k int) bool { return c.bytes(lo, lo+k+1) > bytes })
		if rows == 0 {
			return lo
		}
		c.slotBytes = max(c.slotBytes, c.bytes(lo, lo+rows))
		lo += rows
		c.bounds = append(c.bounds, lo)
	}
	return -1
}

// parts returns the number of parts.
func (c *cut) parts() int { return len(c.bounds) - 1 }

// fit cuts the graph for a number of bytes that all slots may take together. It takes fewer and larger slots if a row does
// not fit into a smaller one, or there would be too many parts.
func (c *cut) fit(room int64, slots int) error {
	for c.slots = min(slots, kernels.PartSlots); c.slots >= 2; c.slots-- {
		if c.cutInto(room/int64(c.slots)) < 0 && c.parts() <= kernels.MostParts {
			return nil
		}
	}
	c.slots = 2
	if row := c.cutInto(room / 2); row >= 0 {
		return refuse.Device("%w on the GPU, not even in parts: the row of vertex %d has %d edges and needs %s, but half of the %s that graphs may take is less: free memory of the GPU, raise GONEXTDOOR_DEVICE_MEMORY, or use device=\"cpu\"",
			resident.ErrRoom, row, c.graph.Indptr[row+1]-c.graph.Indptr[row], cuda.Size(c.bytes(row, row+1)), cuda.Size(room))
	}
	return refuse.Device("%w on the GPU, not even in %d parts: %d are needed with the %s that graphs may take: free memory of the GPU, raise GONEXTDOOR_DEVICE_MEMORY, or use device=\"cpu\"",
		resident.ErrRoom, kernels.MostParts, c.parts(), cuda.Size(room))
}

// cutFor is fit for the engine's tuning: tests demand a number of parts.
func cutFor(e launch.Engine, c *cut, room int64) error {
	slots := plan.PartSlots
	if t := e.Tuning.PartSlots; t > 0 {
		slots = t
	}
	n := e.Tuning.Parts
	if n == 0 {
		return c.fit(room, slots)
	}
	rows := c.graph.NumVertices()
	each := c.bytes(0, rows) / int64(n)
	for u := range rows {
		each = max(each, c.bytes(u, u+1))
	}
	return c.fit(each*int64(slots), slots)
}

// addresses returns g with the arrays of part p, which is in a slot. Their addresses are shifted, so that rows and positions are
// those of the complete graph.
func (c *cut) addresses(g kernels.Graph, p int, slot uintptr) kernels.Graph {
	c.each(c.bounds[p], c.bounds[p+1], func(k int, first, _, at int64) {
		a := c.arrays[k]
		*a.to(&g) = uint64(int64(slot) + at - first*a.size)
	})
	return g
}

// copyTo copies part p to a slot.
func (c *cut) copyTo(h *resident.HostParts, d *cuda.Device, p int, slot uintptr) (err error) {
	c.each(c.bounds[p], c.bounds[p+1], func(k int, first, count, at int64) {
		a := c.arrays[k]
		if _, all := c.span(k, 0, c.graph.NumVertices()); err == nil && count > 0 {
			pinned := resident.Pin(a.owner, d, a.from, all*a.size)
			err = h.Copy(slot+uintptr(at), unsafe.Add(a.from, first*a.size), count*a.size, pinned)
		}
	})
	return err
}
