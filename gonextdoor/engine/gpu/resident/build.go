package resident

import (
	"fmt"
	"unsafe"

	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/gonextdoor/refuse"
	"gonextdoor/kernels"
	"gonextdoor/kernels/function"
)

// builder builds one layout or table in a stream. It serves one thread.
type builder struct {
	r         *Resident
	graph     *graph.Graph
	device    *cuda.Device
	stream    cuda.Stream
	options   graph.Options
	args      kernels.Build // G has the addresses of the inputs
	part      *part         // the result; it owns the arrays
	temporary []cuda.Memory // scratch memory, freed when the layout has been built
	holding   *hold         // what the call holds
	over      *group        // the GPUs over which the layout is split, or nil
	split     *split        // the layout, if it is split
}

// array is an array to allocate.
type array struct {
	bytes int64
	zeros bool // the array must be zeroed before it is filled
	along axis // where the array is cut if the graph is split over GPUs
}

// recipe says how a layout is built: the arrays that it consists of, and the function that fills them.
type recipe struct {
	arrays func(b *builder) ([]array, error)
	fill   func(b *builder, at []uintptr) error
}

// build builds a layout from its inputs, which from holds. It submits the work to s, and may return before that is complete.
// After an error all memory has been freed.
func (r *Resident) build(one Layout, s cuda.Stream, options graph.Options, from *hold) (*part, error) {
	owner := r.owner(one)
	b := &builder{
		r: owner, graph: owner.graph, device: r.store.device, stream: s, options: options,
		args: kernels.Build{G: owner.read(^Layout(0), from)}, part: &part{stream: s}, holding: from, over: from.over,
	}
	recipe, ok := recipes[one]
	if !ok {
		return nil, refuse.Device("the layout %v cannot be built", one)
	}
	err := b.build(one, recipe)
	return b.part, err
}

// build builds the part by a recipe. After an error all memory has been freed.
func (b *builder) build(id fmt.Stringer, recipe recipe) (err error) {
	defer func() {
		if err != nil {
			b.discard()
		}
	}()
	// 1. Allocate the arrays.
	arrays, err := recipe.arrays(b)
	if err != nil {
		return err
	}
	if err := b.allocate(id, arrays); err != nil {
		return err
	}
	at := make([]uintptr, len(b.part.memory))
	for i, m := range b.part.memory {
		at[i] = m.Address
	}
	// 2. Fill them, and free the scratch memory after that in stream order.
	err = recipe.fill(b, at)
	for _, m := range b.temporary {
		if freed := b.device.Free(m, b.stream); err == nil {
			err = freed
		}
	}
	if err != nil {
		return err
	}
	// 3. Give each GPU its addresses of a split layout, and copy replicas.
	if b.split != nil {
		if err := b.replicate(id); err != nil {
			return err
		}
	}
	// 4. Record the event that other streams wait for.
	if b.part.ready, err = b.device.NewEvent(); err != nil {
		return err
	}
	if err := b.part.ready.Record(b.stream); err != nil {
		return err
	}
	if b.split != nil {
		b.part = b.split.divide(b.part)
	}
	return nil
}

// allocate allocates the arrays of a layout. It evicts others if the budget or the GPU is full.
func (b *builder) allocate(one fmt.Stringer, arrays []array) error {
	for i := range arrays {
		arrays[i].bytes = max(arrays[i].bytes, deviceQuad) // an empty array needs an address too, because 0 means "no array"
		b.part.bytes += arrays[i].bytes
	}
	if b.over != nil {
		return b.allocateSplit(one, arrays)
	}
	if len(arrays) == 0 {
		return nil
	}
	if err := b.r.store.admit(b.r, one, b.part.bytes, b.holding, b.options.Job); err != nil {
		return err
	}
	for _, a := range arrays {
		m, err := b.device.Alloc(a.bytes, b.stream)
		if err != nil {
			return err
		}
		if err := b.take(m, a); err != nil {
			return err
		}
	}
	return nil
}

// take adds the memory of an array to the part, and zeroes it if necessary.
func (b *builder) take(m cuda.Memory, a array) error {
	b.part.memory = append(b.part.memory, m)
	if !a.zeros {
		return nil
	}
	return b.device.Fill32(m.Address, 0, (a.bytes+deviceWord-1)/deviceWord, b.stream)
}

// scratch allocates GPU memory that is freed when the layout has been built.
func (b *builder) scratch(bytes int64) (uintptr, error) {
	m, err := b.device.Alloc(max(bytes, deviceQuad), b.stream)
	if err == nil {
		b.temporary = append(b.temporary, m)
	}
	return m.Address, err
}

// discard frees the memory of a layout that could not be built.
func (b *builder) discard() {
	if b.split != nil {
		_ = b.stream.Synchronize() // if the GPU's context is lost, the next call reports it
		b.split.ready = b.part.ready
		_ = b.split.free()
		return
	}
	for _, m := range b.part.memory {
		_ = b.device.Free(m, b.stream) // in stream order, after the work that was submitted for it
	}
	_ = b.part.ready.Destroy()
}

// insert enters a part that was built into the store of r, held by h.
func (r *Resident) insert(id fmt.Stringer, p *part, h *hold) {
	p.holds = 1
	h.parts = append(h.parts, heldPart{id, p})
	if p.split != nil {
		p.split.holds.Add(1)
		p.split.enter(r.kinds)
		return
	}
	st := r.store
	st.lock.Lock()
	defer st.lock.Unlock()
	st.clock++
	p.used = st.clock
	st.held += p.bytes
	r.parts[id] = p
}

// upload copies arrays from the host to the GPU. It returns when they have arrived.
func (b *builder) upload(arrays ...hostArray) error {
	most := int64(0)
	for _, a := range arrays {
		most = max(most, a.bytes)
	}
	u, err := newUploader(b.device, b.stream, b.options, most)
	if err != nil {
		return err
	}
	defer u.end()
	for _, a := range arrays {
		if err := u.copy(a.to, a.from, a.bytes); err != nil {
			return err
		}
	}
	return nil
}

// hostArray is an array in host memory and its destination on the GPU.
type hostArray struct {
	to    uintptr
	from  unsafe.Pointer
	bytes int64
}

// launch starts a kernel that builds layouts, for that many elements, with lanes threads per element.
func (b *builder) launch(kernel string, elements, lanes uint64) error {
	if elements == 0 {
		return nil
	}
	if err := b.options.Job.Err(); err != nil {
		return err
	}
	f, err := function.Load(b.device, "layout_"+kernel)
	if err != nil {
		return err
	}
	b.args.Begin, b.args.End = 0, elements
	blocks := (elements*lanes + plan.BuildThreads - 1) / plan.BuildThreads
	grid := cuda.Grid{Blocks: int(min(blocks, uint64(b.device.Multiprocessors*plan.BuildBlocks))), Threads: plan.BuildThreads}
	return f.Launch(grid, b.stream, &b.args)
}
