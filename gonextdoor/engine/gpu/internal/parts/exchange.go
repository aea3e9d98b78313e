package parts

import (
	"errors"

	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/engine/gpu/internal/launch"
	"gonextdoor/gonextdoor/engine/gpu/resident"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/parallel"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/kernels"
)

// ExchangePart is the part of one GPU in an exchange. It makes the steps from the vertices [Low, High) of all walks, and has the
// result of the rows [From, To). Either range may be empty.
type ExchangePart struct {
	Engine    launch.Engine
	Low, High int
	From, To  int
}

// exchangePrefix begins the names of the kernels of an exchange.
const exchangePrefix = "exchange_"

// exchanged returns the specification with the kernels of an exchange that make the choices of its variants, see
// kernels/driver/exchange.cuh. Records that contain the next row have none: a step has no record of the step before.
func exchanged(s launch.Spec) launch.Spec {
	variants, calls := s.Variants, s.Calls
	s.Variants = nil
	for _, v := range variants {
		if v.Layout&(resident.Wide|resident.WideAlias) == 0 {
			s.Variants = append(s.Variants, launch.Variant{Layout: v.Layout, Kernel: launch.Kernel{Name: exchangePrefix + v.Kernel.Name}})
		}
	}
	if calls != nil {
		s.Calls = func() launch.Callbacks { return launch.Callbacks{Fill: calls().Fill} }
	}
	return s
}

// Exchange is gpu.Exchange for the Spec of the plan.
func Exchange(spec launch.Spec, parts []ExchangePart, p plan.Plan, g *graph.Graph, b plan.Batch, j *job.Job) ([]*launch.Result, error) {
	if spec.Exchange == nil {
		return nil, launch.NoKernel(p)
	}
	x := &exchange{members: make([]*exchanger, len(parts)), job: j, rows: b.Roots.Samples(), rest: spec.Exchange.Rest}
	spec = exchanged(spec)
	for i, part := range parts {
		x.members[i] = &exchanger{part: part}
	}
	err := parallel.For(nil, len(parts), len(parts), 1, func(i, _ int) error { return x.prepare(i, spec, p, g, b) })
	if err == nil && b.Order == "" && x.remote() < plan.ExchangeRemote {
		err = errReplicated
	}
	if err == nil {
		err = x.walk(p.Width - b.Roots.Width)
	}
	results, err := x.end(err)
	if errors.Is(err, errReplicated) {
		return nil, nil
	}
	return results, err
}

// errReplicated ends an exchange that does not pay.
var errReplicated = errors.New("each GPU has the graph")

// remote returns the largest share of the edges that a GPU reads from others.
func (x *exchange) remote() (share float64) {
	for _, m := range x.members {
		of, _ := m.Resident.Remote() // it is known: the layouts are held
		share = max(share, of)
	}
	return share
}

// exchange is one call of Exchange.
type exchange struct {
	members []*exchanger
	homes   []kernels.ExchangeHome // the members with rows
	job     *job.Job
	rows    int    // of all members
	rest    string // see Exchange
}

// exchanger is one GPU of an exchange.
type exchanger struct {
	*launch.Run // of its rows; nil: it has not been prepared, or has ended
	part        ExchangePart
	argument    kernels.Exchange
	reached     cuda.Event // the end of the present step
}

// prepare uploads what member i reads, and allocates its result in memory that all members access.
func (x *exchange) prepare(i int, spec launch.Spec, p plan.Plan, g *graph.Graph, b plan.Batch) error {
	m := x.members[i]
	return m.part.Engine.Device.Do(func() error {
		for _, other := range x.members {
			if err := m.part.Engine.Device.Share(other.part.Engine.Device); err != nil {
				return err
			}
		}
		r, err := launch.BeginRun(m.part.Engine, spec, p, g, b.ForDevice(i, len(x.members), 0, x.rows), m.part.From, m.part.To, x.job)
		if err != nil {
			return err
		}
		m.Run = r
		m.argument = kernels.Exchange{W: r.Args, Home: ^uint64(0), Low: uint64(m.part.Low), High: uint64(m.part.High)}
		if x.rest != "" {
			if err := r.TakeAll(
				launch.Array(&m.argument.W.T.Alive, 4*int64(x.rows)), launch.Array(&m.argument.W.T.AliveCount, 8),
			); err != nil {
				return err
			}
		}
		m.reached, err = r.Device.NewEvent()
		return err
	})
}

// walk makes all steps.
func (x *exchange) walk(steps int) error {
	x.listHomes()
	if err := x.each((*exchange).connect); err != nil {
		return err
	}
	if err := x.barrier(); err != nil {
		return err
	}
	first := x.members[0]
	first.Launcher.Limited = true
	group := max(1, int(first.LaunchSteps())*len(x.members)/max(1, x.rows)) // steps between two checks of the job
	for s := 0; s < steps; s++ {
		if s%group == 0 {
			if err := first.Device.Do(func() error { return first.Launcher.Admit(x.job) }); err != nil {
				return err
			}
		}
		if err := x.each(func(x *exchange, m *exchanger) error { return m.step(s, x.rest) }); err != nil {
			return err
		}
		if err := x.barrier(); err != nil {
			return err
		}
		if s%group == group-1 {
			if err := first.Device.Do(first.Launcher.Launched); err != nil {
				return err
			}
		}
	}
	return nil
}

// each calls f for all members in turn, within Device.Do.
func (x *exchange) each(f func(x *exchange, m *exchanger) error) error {
	for _, m := range x.members {
		if err := m.Device.Do(func() error { return f(x, m) }); err != nil {
			return err
		}
	}
	return nil
}

// connect copies the table of homes to a member's memory, and starts the kernel that writes its roots.
func (x *exchange) connect(m *exchanger) error {
	a := &m.argument
	a.HomeCount = uint64(len(x.homes))
	for i, h := range x.homes {
		a.W.T.Edges = h.Edges
		a.Tiles = max(a.Tiles, (h.Rows+kernels.ExchangeTile-1)/kernels.ExchangeTile)
		if h.Vertices == uint64(m.Result.Vertices.Address) {
			a.Home = uint64(i)
		}
	}
	if err := launch.Put(&m.Scratch, &a.Homes, x.homes); err != nil {
		return err
	}
	w := &m.Run.Args
	roots := launch.Kernel{Name: "exchange_roots"}
	return m.Launcher.Threads(roots, int64(m.Rows), w)
}

// listHomes lists the members with rows.
func (x *exchange) listHomes() {
	before := uint64(0)
	for _, m := range x.members {
		if m.Rows == 0 {
			continue
		}
		b, t := &m.Run.Args.B, &m.Run.Args.T
		x.homes = append(x.homes, kernels.ExchangeHome{
			Vertices: t.Vertices, Edges: t.Edges, Stride: t.Stride, Rows: uint64(m.Rows), First: b.First + b.Row, Before: before,
		})
		before += uint64(m.Rows)
	}
}

// step starts the kernels of one step.
func (m *exchanger) step(s int, rest string) error {
	a := m.argument
	a.W.T.Begin, a.W.T.End = uint64(s), uint64(s+1)
	if rest != "" {
		if err := m.Device.Fill32(uintptr(a.W.T.AliveCount), 0, 2, m.Stream); err != nil {
			return err
		}
	}
	n := int64(a.Tiles*a.HomeCount) * kernels.WarpSize
	if err := m.Launcher.Threads(m.Kernel, n, &a); err != nil {
		return err
	}
	if rest == "" || s == 0 { // without a previous vertex, the first try is accepted
		return nil
	}
	k := m.Kernel
	k.Name = launch.RestName(k.Name, exchangePrefix+rest)
	n = min(int64(a.Tiles*a.HomeCount)*kernels.ExchangeTile, int64(m.Device.Multiprocessors*plan.RestBlocks*plan.GPUBlock))
	return m.Launcher.Threads(k, n, &a)
}

// barrier lets the work that the members submit from now on wait for the present work of all members.
func (x *exchange) barrier() error {
	if err := x.each(func(_ *exchange, m *exchanger) error { return m.reached.Record(m.Stream) }); err != nil {
		return err
	}
	return x.each(func(x *exchange, m *exchanger) error {
		for _, other := range x.members {
			if other == m {
				continue
			}
			if err := m.Stream.Wait(other.reached); err != nil {
				return err
			}
		}
		return nil
	})
}

// end waits for all members and frees what they hold. A GPU that failed has left gaps in the results of the others, so the
// results are returned only when all GPUs are known to have succeeded.
func (x *exchange) end(err error) (results []*launch.Result, _ error) {
	running := func(f func(m *exchanger) error) {
		for _, m := range x.members {
			if m.Run != nil {
				err = launch.First(err, m.Device.Do(func() error { return f(m) }))
			}
		}
	}
	running(func(m *exchanger) error {
		if err != nil {
			return nil
		}
		_, err := m.Finished()
		return err
	})
	running(func(m *exchanger) error { return m.Stream.Synchronize() })
	running(func(m *exchanger) error {
		var freed error
		if m.reached != (cuda.Event{}) {
			freed = m.reached.Destroy()
		}
		if err != nil {
			_ = m.Run.End(err)
			return nil
		}
		if freed = launch.First(freed, m.Run.End(nil)); m.Rows == 0 {
			freed = launch.First(freed, m.Result.Discard())
		}
		return freed
	})
	if err != nil {
		for _, m := range x.members {
			if m.Run != nil {
				_ = m.Device.Do(m.Result.Discard)
			}
		}
		return nil, err
	}
	results = make([]*launch.Result, len(x.members))
	for i, m := range x.members {
		if m.Rows > 0 {
			results[i] = m.Result
		}
	}
	x.job.Add(int64(x.rows))
	return results, nil
}
