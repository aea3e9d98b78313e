package resident

import (
	"unsafe"

	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/gonextdoor/refuse"
	"gonextdoor/kernels"
)

// builder makes one layout in a stream.
type builder struct {
	r       *Resident
	graph   *graph.Graph
	device  *cuda.Device
	stream  cuda.Stream
	options graph.Options
	args    kernels.Build // G: what the layout is made from
	part    *part
	spare   []cuda.Memory // that is given back when the layout is made
}

// array is one that a layout consists of.
type array struct {
	bytes int64
	zeros bool // it must begin as zeros
}

// recipe says how a layout is made: the arrays that it takes, and what fills them.
type recipe struct {
	arrays func(b *builder) ([]array, error)
	fill   func(b *builder, at []uintptr) error
}

// make makes a layout from those that are held.
func (r *Resident) make(one Layout, s cuda.Stream, options graph.Options, from *hold) (p *part, err error) {
	owner := r.owner(one)
	b := &builder{
		r: owner, graph: owner.graph, device: r.store.device, stream: s, options: options,
		args: kernels.Build{G: owner.read(^Layout(0), from)}, part: &part{stream: s},
	}
	defer func() {
		if err != nil {
			b.undo()
		}
	}()
	recipe, ok := recipes[one]
	if !ok {
		return nil, refuse.Device("the layout %v cannot be made", one)
	}
	arrays, err := recipe.arrays(b)
	if err != nil {
		return nil, err
	}
	if err := b.take(one, arrays); err != nil {
		return nil, err
	}
	at := make([]uintptr, len(b.part.memory))
	for i, m := range b.part.memory {
		at[i] = m.Address
	}
	err = recipe.fill(b, at)
	for _, m := range b.spare {
		if freed := b.device.Free(m, s); err == nil {
			err = freed
		}
	}
	if err != nil {
		return nil, err
	}
	if b.part.ready, err = b.device.NewEvent(); err != nil {
		return nil, err
	}
	return b.part, b.part.ready.Record(s)
}

// take takes the memory for arrays.
func (b *builder) take(one Layout, arrays []array) error {
	for i := range arrays {
		arrays[i].bytes = max(arrays[i].bytes, deviceQuad) // an empty array has an address too: 0 says that there is none
		b.part.bytes += arrays[i].bytes
	}
	if len(arrays) == 0 {
		return nil
	}
	if err := b.r.store.admit(b.r, one, b.part.bytes); err != nil {
		return err
	}
	for _, a := range arrays {
		m, err := b.device.Alloc(a.bytes, b.stream)
		if err != nil {
			return err
		}
		b.part.memory = append(b.part.memory, m)
		if a.zeros {
			if err := b.device.Fill32(m.Address, 0, (a.bytes+deviceWord-1)/deviceWord, b.stream); err != nil {
				return err
			}
		}
	}
	return nil
}

// scratch takes memory until the layout is made.
func (b *builder) scratch(bytes int64) (uintptr, error) {
	m, err := b.device.Alloc(max(bytes, deviceQuad), b.stream)
	if err == nil {
		b.spare = append(b.spare, m)
	}
	return m.Address, err
}

// undo gives the memory of a layout back that could not be made.
func (b *builder) undo() {
	for _, m := range b.part.memory {
		_ = b.device.Free(m, b.stream) // behind the work that was begun on it
	}
	_ = b.part.ready.Destroy()
}

// keep enters a layout that was made.
func (r *Resident) keep(one Layout, p *part, s cuda.Stream, h *hold) error {
	st := r.store
	st.lock.Lock()
	defer st.lock.Unlock()
	st.clock++
	p.holds, p.used = 1, st.clock
	st.held += p.bytes
	r.owner(one).parts[one] = p
	h.parts = append(h.parts, held{one, p})
	return nil
}

// upload copies arrays of the host to addresses.
func (b *builder) upload(copies ...transfer) error {
	most := int64(0)
	for _, c := range copies {
		most = max(most, c.bytes)
	}
	u, err := newUploader(b.device, b.stream, b.options, most)
	if err != nil {
		return err
	}
	defer u.end()
	for _, c := range copies {
		if err := u.copy(c.to, c.from, c.bytes); err != nil {
			return err
		}
	}
	return nil
}

// transfer is an array of the host, and where it goes.
type transfer struct {
	to    uintptr
	from  unsafe.Pointer
	bytes int64
}

// work is a launch of a kernel over so many elements, lanes threads for each.
func (b *builder) work(kernel string, elements, lanes uint64) error {
	if elements == 0 {
		return nil
	}
	if err := b.options.Job.Err(); err != nil {
		return err
	}
	image, err := kernels.Image("layouts")
	if err != nil {
		return err
	}
	m, err := b.device.Load("layouts", image)
	if err != nil {
		return err
	}
	f, err := m.Function("layout_" + kernel)
	if err != nil {
		return err
	}
	b.args.Begin, b.args.End = 0, elements
	blocks := (elements*lanes + plan.BuildThreads - 1) / plan.BuildThreads
	grid := cuda.Grid{Blocks: int(min(blocks, uint64(b.device.Processors*plan.BuildBlocks))), Threads: plan.BuildThreads}
	return f.Launch(grid, b.stream, unsafe.Pointer(&b.args), unsafe.Sizeof(b.args))
}
