package gpu

import (
	"sort"
	"unsafe"

	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/engine/gpu/resident"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/gonextdoor/refuse"
	"gonextdoor/kernels"
)

// Sizes of kernels/driver/streamedwalk.cuh.
const (
	maxParts   = 254
	maxSlots   = 8
	partArrays = 4
	partAlign  = 256 // bytes; the begin of each array of a slot is a multiple of it
)

// partArray is an array of the host of which a part has a range.
type partArray struct {
	from  unsafe.Pointer
	size  int64        // bytes of an element; 0: parts do not have the array
	rows  bool         // it has an element per row and one more, instead of an element per edge
	owner *graph.Graph // with which it is freed
}

// partCut is a cut of a graph into parts, which are ranges of rows, and the sizes of the slots that parts are copied to.
// Part p has the rows [bounds[p], bounds[p+1]). Each part has as many rows as fit into a slot: graph.RowRanges makes ranges
// with equal numbers of edges, but the bytes of a range depend on its number of rows, too.
type partCut struct {
	graph     *graph.Graph
	arrays    []partArray // indptr, indices, alias tables, ids: as in the kernels of walks; then biases, if parts have them
	bounds    []int
	slots     int
	slotBytes int64
}

// partArraysOf returns the arrays of parts. Alias tables must have been built. edges: parts have the ids of edges.
func partArraysOf(g *graph.Graph, s *partSpec, edges bool) []partArray {
	base, a := g.Base(), make([]partArray, partArrays)
	a[0] = partArray{pointerTo(g.Indptr), 8, true, base}
	if !s.weighted || s.lookups() {
		a[1] = partArray{pointerTo(g.Indices), 4, false, base}
	}
	if s.weighted {
		a[2] = partArray{pointerTo(index.AliasOf(g)), 16, false, g}
	}
	switch {
	case !edges:
	case g.EdgeIDs != nil:
		a[3] = partArray{pointerTo(g.EdgeIDs), 4, false, base}
	case g.EdgeIDs64 != nil:
		a[3] = partArray{pointerTo(g.EdgeIDs64), 8, false, base}
	}
	if s.biases {
		a = append(a, partArray{pointerTo(g.Biases), 4, false, g})
	}
	return a
}

func pointerTo[T any](s []T) unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(s)) }

// span returns the elements of array k that the rows [lo, hi) have: the first one and their number.
func (c *partCut) span(k, lo, hi int) (first, count int64) {
	if c.arrays[k].rows {
		return int64(lo), int64(hi - lo + 1)
	}
	return int64(c.graph.Indptr[lo]), int64(c.graph.Indptr[hi] - c.graph.Indptr[lo])
}

// bytes returns the size of a part with the rows [lo, hi).
func (c *partCut) bytes(lo, hi int) (all int64) {
	for k, a := range c.arrays {
		_, count := c.span(k, lo, hi)
		all += aligned(count * a.size)
	}
	return all
}

func aligned(bytes int64) int64 { return (bytes + partAlign - 1) / partAlign * partAlign }

// cutInto cuts the graph into parts of at most that many bytes. It returns the row that is larger, or -1.
func (c *partCut) cutInto(bytes int64) (tooLarge int) {
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
func (c *partCut) parts() int { return len(c.bounds) - 1 }

// fit cuts the graph for a number of bytes that all slots may take together. It takes fewer and larger slots if a row does
// not fit into a smaller one, or there would be too many parts.
func (c *partCut) fit(room int64, slots int) error {
	for c.slots = min(slots, maxSlots); c.slots >= 2; c.slots-- {
		if c.cutInto(room/int64(c.slots)) < 0 && c.parts() <= maxParts {
			return nil
		}
	}
	c.slots = 2
	if row := c.cutInto(room / 2); row >= 0 {
		return refuse.Device("the graph does not fit on the GPU, not even in parts: the row of vertex %d has %d edges and needs %s, but half of the %s that graphs may take is less: free memory of the GPU, raise GONEXTDOOR_DEVICE_MEMORY, or use device=\"cpu\"",
			row, c.graph.Indptr[row+1]-c.graph.Indptr[row], cuda.Size(c.bytes(row, row+1)), cuda.Size(room))
	}
	return refuse.Device("the graph does not fit on the GPU, not even in %d parts: %d are needed with the %s that graphs may take: free memory of the GPU, raise GONEXTDOOR_DEVICE_MEMORY, or use device=\"cpu\"",
		maxParts, c.parts(), cuda.Size(room))
}

// cutFor is fit for the engine's tuning: tests demand a number of parts.
func (e Engine) cutFor(c *partCut, room int64) error {
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

// tables returns the arrays of the cut that kernels read: the bounds, and the shifted offset of each part's arrays in a slot.
func (c *partCut) tables() (bounds []uint32, offsets []uint64) {
	for _, b := range c.bounds {
		bounds = append(bounds, uint32(b))
	}
	for p := range c.parts() {
		at := int64(0)
		for k, a := range c.arrays {
			first, count := c.span(k, c.bounds[p], c.bounds[p+1])
			offsets = append(offsets, uint64(at-first*a.size))
			at += aligned(count * a.size)
		}
	}
	return bounds, offsets
}

// addresses returns g with the arrays of part p, which is in a slot. Their addresses are shifted, so that rows and positions are
// those of the complete graph.
func (c *partCut) addresses(g kernels.Graph, p int, slot uintptr) kernels.Graph {
	fields, at := []*uint64{&g.Indptr, &g.Indices, &g.Alias, &g.IDs, &g.Biases}, int64(slot)
	for k, a := range c.arrays {
		if a.size > 0 {
			first, count := c.span(k, c.bounds[p], c.bounds[p+1])
			*fields[k] = uint64(at - first*a.size)
			at += aligned(count * a.size)
		}
	}
	return g
}

// copyTo copies part p to a slot.
func (c *partCut) copyTo(h *resident.HostParts, d *cuda.Device, p int, slot uintptr) error {
	for k, a := range c.arrays {
		first, count := c.span(k, c.bounds[p], c.bounds[p+1])
		if a.size == 0 || count == 0 {
			continue
		}
		last, end := c.span(k, c.graph.NumVertices(), c.graph.NumVertices())
		if !a.rows {
			end = 0
		}
		pinned := resident.Pin(a.owner, d, a.from, (last+end)*a.size)
		if err := h.Copy(slot, unsafe.Add(a.from, first*a.size), count*a.size, pinned); err != nil {
			return err
		}
		slot += uintptr(aligned(count * a.size))
	}
	return nil
}
