package resident

import (
	"fmt"
	"sync"

	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/kernels"
)

// Resident is a graph on one device. It owns the GPU memory of the graph's layouts, and of tables that apps keep with it.
type Resident struct {
	graph *graph.Graph
	store *store
	base  *Resident // of a view: the graph whose layouts it shares; of any other graph: the Resident itself

	building sync.Mutex             // locked while a thread builds layouts of this graph
	parts    map[fmt.Stringer]*part // by Layout or Table
	kinds    []int32                // the distinct labels, set when ByLabel is built
}

// part is one layout or table in GPU memory. The store's lock guards it.
type part struct {
	memory   []cuda.Memory
	scalars  kernels.Graph // the fields of kernels.Graph that are not addresses
	bytes    int64
	stream   cuda.Stream // the stream that builds the layout
	ready    cuda.Event  // recorded after the layout has been built
	reached  bool        // ready was seen to be reached, so that no stream has to wait for it
	holds    int         // calls that use the layout; it may be evicted only if there are none
	used     int64       // the store's clock at the last Hold
	split    *split      // the layout of which this is the part of one GPU, or nil; it owns memory and ready
	gpu      int         // of a split: this GPU's number in the group
	replicas int64       // those of bytes that are copies of other GPUs' pieces
}

// foreign reports whether another GPU has built the part.
func (p *part) foreign() bool { return p.split != nil && p.gpu != p.split.builder }

// idle reports whether no call uses the part, nor the layout on other GPUs. The store's lock is held.
func (p *part) idle() bool { return p.holds == 0 && (p.split == nil || p.split.holds.Load() == 0) }

// Of returns the graph on a device. It copies nothing. The memory of its layouts is freed when g is closed.
func Of(g *graph.Graph, d *cuda.Device) *Resident {
	s := storeOf(d)
	s.lock.Lock()
	defer s.lock.Unlock()
	return s.resident(g)
}

// resident returns the entry of a graph and creates it, and that of its base graph, at the first call. The lock is held.
func (s *store) resident(g *graph.Graph) *Resident {
	if r := s.residents[g]; r != nil {
		return r
	}
	r := &Resident{graph: g, store: s, parts: map[fmt.Stringer]*part{}}
	r.base = r
	if base := g.Base(); base != g {
		r.base = s.resident(base)
	}
	s.residents[g] = r
	g.OnClose(func() { s.forget(r) })
	return r
}

// owner returns the Resident that stores a layout: the graph itself, or the base graph of a view.
func (r *Resident) owner(one Layout) *Resident {
	if viewLayouts.has(one) {
		return r
	}
	return r.base
}

// Hold uploads or builds the layouts that are missing and returns the addresses of all. Work submitted to s after the call
// may read them.
//
// The layouts are not evicted before release is called. Call release once all work that reads them has been submitted; it
// may be called twice, and after the graph was closed. Hold is called within Device.Do.
//
// If all layouts exist, a call costs two locks of the store's mutex, release included. Building is cancelled if the job of
// options is stopped.
//
// Errors: DeviceError if the graph cannot have such a layout, or the GPU's memory is too small.
func (r *Resident) Hold(want Layout, s cuda.Stream, options graph.Options) (at kernels.Graph, release func(), err error) {
	h := &hold{store: r.store}
	want = withRead(want)
	// 1. Usually all layouts exist.
	if found, err := r.join(want, s, h); err != nil || found {
		return r.addresses(want, h, err)
	}
	// 2. Refuse impossible layouts before anything is allocated.
	if err := Fits(r.graph, want); err != nil {
		return kernels.Graph{}, nil, err
	}
	if err := CheckBudget(); err != nil {
		return kernels.Graph{}, nil, err
	}
	// 3. Build the missing layouts. Only one thread builds layouts of a graph at a time.
	over, unlock, err := r.lockBuilding(false, options)
	if err != nil {
		return kernels.Graph{}, nil, err
	}
	defer unlock()
	if over != nil {
		h.over, h.later = over, r.pending(want, over, options)
	}
	for one := range want.each() {
		if err := r.obtain(one, s, options, h); err != nil {
			h.end()
			return kernels.Graph{}, nil, err
		}
	}
	return r.addresses(want, h, nil)
}

// Has reports whether all of want is in GPU memory. Another call may evict it at any time.
func (r *Resident) Has(want Layout) bool {
	r.store.lock.Lock()
	defer r.store.lock.Unlock()
	for one := range want.each() {
		if r.owner(one).parts[one] == nil {
			return false
		}
	}
	return true
}

// Kind returns the number by which ByLabel refers to a label, or the number of labels if no edge has it. ByLabel must have
// been held before.
func (r *Resident) Kind(label int32) int32 {
	for k, other := range r.base.kinds {
		if other == label {
			return int32(k)
		}
	}
	return int32(len(r.base.kinds))
}

// withRead returns want with the layouts that kernels read together with it.
func withRead(want Layout) Layout {
	for one := range want.each() {
		want |= inputs[one] & readWith
	}
	return want | Rows
}

// pending returns the layouts of want, and those that they are built from, that do not exist, with the bytes that they take of
// each GPU of a group. Layouts that cannot be built are left out. A lock of lockBuilding is held.
func (r *Resident) pending(want Layout, over *group, options graph.Options) map[Layout][]int64 {
	missing := map[Layout][]int64{}
	var visit func(Layout)
	visit = func(want Layout) {
		for one := range want.each() {
			if missing[one] != nil || r.Has(one) {
				continue
			}
			visit(inputs[one])
			b := &builder{r: &Resident{}, graph: r.owner(one).graph, part: &part{}, options: options}
			arrays, err := recipes[one].arrays(b)
			if err != nil {
				continue
			}
			bytes := make([]int64, len(over.stores))
			for _, a := range arrays {
				for m, n := range over.useful(a, b.graph) {
					bytes[m] += n
				}
			}
			missing[one] = bytes
		}
	}
	visit(want)
	return missing
}

// obtain adds one layout to h and builds it, after its inputs, if it does not exist. The locks of lockBuilding are held.
func (r *Resident) obtain(one Layout, s cuda.Stream, options graph.Options, h *hold) error {
	if found, err := r.join(one, s, h); err != nil || found {
		return err
	}
	if err := options.Job.Err(); err != nil {
		return err
	}
	// The inputs are held until the kernels that read them have been submitted.
	from := &hold{store: r.store, parent: h, over: h.over, later: h.later}
	defer from.end()
	for input := range inputs[one].each() {
		if err := r.obtain(input, s, options, from); err != nil {
			return err
		}
	}
	p, err := r.build(one, s, options, from)
	if err != nil {
		return err
	}
	delete(h.later, one)
	r.owner(one).insert(one, p, h)
	return nil
}

// addresses returns what Hold returns: the addresses of the layouts and the function that ends h.
func (r *Resident) addresses(want Layout, h *hold, err error) (kernels.Graph, func(), error) {
	if err != nil {
		h.end()
		return kernels.Graph{}, nil, err
	}
	return r.read(want, h), h.end, nil
}
