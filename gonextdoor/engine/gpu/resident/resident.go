package resident

import (
	"sync"
	"time"

	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/kernels"
)

// Resident is a graph on a device.
type Resident struct {
	graph *graph.Graph
	store *store
	base  *Resident // of a view: where the layouts lie that it shares; otherwise itself

	making sync.Mutex // held by who makes a layout
	parts  map[Layout]*part
	kinds  []int32 // the labels, once there is ByLabel
}

// part is a layout on the card. The store's lock guards it.
type part struct {
	memory  []cuda.Memory
	facts   kernels.Graph // what it says beside addresses
	bytes   int64
	stream  cuda.Stream // in which it was made
	ready   cuda.Event
	settled bool // ready has been reached
	holds   int
	used    int64 // the store's clock at the last Hold
}

// Of gives the graph on a device. It copies nothing yet.
func Of(g *graph.Graph, d *cuda.Device) *Resident {
	s := storeOf(d)
	s.lock.Lock()
	defer s.lock.Unlock()
	return s.resident(g)
}

func (s *store) resident(g *graph.Graph) *Resident {
	if r := s.residents[g]; r != nil {
		return r
	}
	r := &Resident{graph: g, store: s, parts: map[Layout]*part{}}
	r.base = r
	if base := g.Base(); base != g {
		r.base = s.resident(base)
	}
	s.residents[g] = r
	g.OnClose(func() { s.forget(r) })
	return r
}

// owner is who keeps a layout: the graph itself, or that of which it is a view.
func (r *Resident) owner(one Layout) *Resident {
	if ofView.has(one) {
		return r
	}
	return r.base
}

// Hold makes sure that layouts are on the card, and gives their addresses: work that is put into s from now on may read
// them. They stay until release is called, which is for when all such work has been put into s. It may be called twice,
// and after the graph is closed.
//
// Making a layout ends when options' job is stopped. It is called within Do.
//
// Errors: DeviceError where a layout is not for such a graph, or the card has not the room.
func (r *Resident) Hold(want Layout, s cuda.Stream, options graph.Options) (at kernels.Graph, release func(), err error) {
	h := &hold{store: r.store}
	want = whole(want)
	if there, err := r.join(want, s, h); err != nil || there {
		return r.addresses(want, h, err)
	}
	if err := Fits(r.graph, want); err != nil {
		return kernels.Graph{}, nil, err
	}
	if err := CheckBudget(); err != nil {
		return kernels.Graph{}, nil, err
	}
	unlock, err := r.lock(options)
	if err != nil {
		return kernels.Graph{}, nil, err
	}
	defer unlock()
	for one := range want.each() {
		if err := r.obtain(one, s, options, h); err != nil {
			h.end()
			return kernels.Graph{}, nil, err
		}
	}
	return r.addresses(want, h, nil)
}

// Has says whether layouts are on the card.
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

// Kind gives the number that a label has in ByLabel, once that was held, and the number of labels where no edge has it.
func (r *Resident) Kind(label int32) int32 {
	for k, other := range r.base.kinds {
		if other == label {
			return int32(k)
		}
	}
	return int32(len(r.base.kinds))
}

// whole gives layouts with what stays as long as they are used.
func whole(want Layout) Layout {
	for one := range want.each() {
		want |= needs[one] & with
	}
	return want | Rows
}

// lock has one thread make layouts of the graph, and of the one that it is a view of.
func (r *Resident) lock(options graph.Options) (unlock func(), err error) {
	both := []*Resident{r}
	if r.base != r {
		both = append(both, r.base)
	}
	unlock = func() {}
	for _, one := range both {
		for !one.making.TryLock() {
			if err := options.Job.Err(); err != nil {
				unlock()
				return nil, err
			}
			time.Sleep(time.Millisecond)
		}
		before := unlock
		unlock = func() { one.making.Unlock(); before() }
	}
	return unlock, nil
}

// obtain adds a layout to what h holds, and makes it where it is not there. The locks of making are held.
func (r *Resident) obtain(one Layout, s cuda.Stream, options graph.Options, h *hold) error {
	if there, err := r.join(one, s, h); err != nil || there {
		return err
	}
	if err := options.Job.Err(); err != nil {
		return err
	}
	from := &hold{store: r.store}
	defer from.end()
	for need := range needs[one].each() {
		if err := r.obtain(need, s, options, from); err != nil {
			return err
		}
	}
	p, err := r.make(one, s, options, from)
	if err != nil {
		return err
	}
	return r.keep(one, p, s, h)
}

// addresses gives what kernels read of the layouts.
func (r *Resident) addresses(want Layout, h *hold, err error) (kernels.Graph, func(), error) {
	if err != nil {
		h.end()
		return kernels.Graph{}, nil, err
	}
	return r.read(want, h), h.end, nil
}
