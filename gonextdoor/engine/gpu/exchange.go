package gpu

import (
	"errors"
	"unsafe"

	"gonextdoor/gonextdoor/cuda"
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
	Engine    Engine
	Low, High int
	From, To  int
}

// exchangeImage is the image of all kernels of an exchange.
const exchangeImage = "exchange"

// exchangeSpec describes how a plan runs by Exchange.
type exchangeSpec struct {
	rest string // the image of the kernel for rows of which all tries are rejected; "": there is none
}

// exchanged returns the specification with the kernels of an exchange that make the choices of its variants, see
// kernels/driver/exchange.cuh. Records that contain the next row have none: a step has no record of the step before.
func (s launchSpec) exchanged() launchSpec {
	variants, calls := s.variants, s.calls
	s.variants = nil
	for _, v := range variants {
		if v.layout&(resident.Wide|resident.WideAlias) == 0 {
			s.variants = append(s.variants, variant{v.layout, kernel{image: exchangeImage, name: exchangeImage + "_" + v.kernel.name}})
		}
	}
	if calls != nil {
		s.calls = func() callbacks { return callbacks{fill: calls().fill} }
	}
	return s
}

// Exchanges reports whether several GPUs can make the samples of a plan by Exchange: walks of a fixed length whose state is the
// last two vertices of the trace.
func (e Engine) Exchanges(p plan.Plan) bool {
	spec, err := e.compiled(p)
	return err == nil && spec.exchange != nil && p.Width > 1
}

// Exchange makes the samples of a batch on several GPUs together. The step of a walk is made by the GPU that has its vertex in
// [Low, High), which writes it to the result in the memory of another GPU. The ranges of vertices and those of rows each cut
// all of them without overlap. The samples equal those of Rows for any ranges.
//
// A step is a launch per GPU, after which each GPU waits for all others by events. The host waits only for the end. Result i is
// that of part i, nil if it has no rows; the caller frees the results.
//
// Errors: DeviceError if a GPU fails, or its memory is too small for its result; refuse.ErrInterrupted once the job is stopped.
// After an error nothing is held.
//
// If the batch has no order, and each GPU has replicas of nearly all edges, it does nothing and returns nil: reads of other GPUs'
// memory are then rare.
func Exchange(parts []ExchangePart, p plan.Plan, g *graph.Graph, b plan.Batch, j *job.Job) ([]*Result, error) {
	if err := j.Err(); err != nil {
		return nil, err
	}
	spec, err := parts[0].Engine.compiled(p)
	if err != nil {
		return nil, err
	}
	if spec.exchange == nil {
		return nil, noKernel(p)
	}
	x := &exchange{members: make([]*exchanger, len(parts)), job: j, rows: b.Roots.Samples(), rest: spec.exchange.rest}
	spec = spec.exchanged()
	for i, part := range parts {
		x.members[i] = &exchanger{part: part}
	}
	err = parallel.For(nil, len(parts), len(parts), 1, func(i, _ int) error { return x.prepare(i, spec, p, g, b) })
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
		of, _ := m.resident.Remote() // it is known: the layouts are held
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
	rest    string // see exchangeSpec
}

// exchanger is one GPU of an exchange.
type exchanger struct {
	*run     // of its rows; nil: it has not been prepared, or has ended
	part     ExchangePart
	argument kernels.Exchange
	reached  cuda.Event // the end of the present step
}

// prepare uploads what member i reads, and allocates its result in memory that all members access.
func (x *exchange) prepare(i int, spec launchSpec, p plan.Plan, g *graph.Graph, b plan.Batch) error {
	m := x.members[i]
	return m.part.Engine.Device.Do(func() error {
		for _, other := range x.members {
			if err := m.part.Engine.Device.Share(other.part.Engine.Device); err != nil {
				return err
			}
		}
		r, err := m.part.Engine.begin(spec, p, g, b.ForDevice(i, 0, x.rows), m.part.From, m.part.To, x.job)
		if err != nil {
			return err
		}
		m.run = r
		m.argument = kernels.Exchange{W: r.args, Home: ^uint64(0), Low: uint64(m.part.Low), High: uint64(m.part.High)}
		if x.rest != "" {
			if err := r.takeAll(
				buffer{address: &m.argument.W.T.Alive, bytes: 4 * int64(x.rows)}, buffer{address: &m.argument.W.T.AliveCount, bytes: 8},
			); err != nil {
				return err
			}
		}
		m.reached, err = r.device.NewEvent()
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
	first.launcher.limited = true
	group := max(1, int(first.launchSteps())*len(x.members)/max(1, x.rows)) // steps between two checks of the job
	for s := 0; s < steps; s++ {
		if s%group == 0 {
			if err := first.device.Do(func() error { return first.launcher.admit(x.job) }); err != nil {
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
			if err := first.device.Do(first.launcher.launched); err != nil {
				return err
			}
		}
	}
	return nil
}

// each calls f for all members in turn, within Device.Do.
func (x *exchange) each(f func(x *exchange, m *exchanger) error) error {
	for _, m := range x.members {
		if err := m.device.Do(func() error { return f(x, m) }); err != nil {
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
		a.Tiles = max(a.Tiles, (h.Rows+exchangeTile-1)/exchangeTile)
		if h.Vertices == uint64(m.result.Vertices.Address) {
			a.Home = uint64(i)
		}
	}
	if err := put(&m.scratch, &a.Homes, x.homes); err != nil {
		return err
	}
	w := &m.run.args
	roots := kernel{image: exchangeImage, name: "exchange_roots"}
	return m.launcher.threads(roots, int64(m.rows), unsafe.Pointer(w), unsafe.Sizeof(*w))
}

// listHomes lists the members with rows.
func (x *exchange) listHomes() {
	before := uint64(0)
	for _, m := range x.members {
		if m.rows == 0 {
			continue
		}
		b, t := &m.run.args.B, &m.run.args.T
		x.homes = append(x.homes, kernels.ExchangeHome{
			Vertices: t.Vertices, Edges: t.Edges, Stride: t.Stride, Rows: uint64(m.rows), First: b.First + b.Row, Before: before,
		})
		before += uint64(m.rows)
	}
}

// exchangeTile is the number of rows that a warp reads together: ExchangeTile of kernels/driver/exchange.cuh.
const exchangeTile = 256

// step starts the kernels of one step.
func (m *exchanger) step(s int, rest string) error {
	a := m.argument
	a.W.T.Begin, a.W.T.End = uint64(s), uint64(s+1)
	if rest != "" {
		if err := m.device.Fill32(uintptr(a.W.T.AliveCount), 0, 2, m.stream); err != nil {
			return err
		}
	}
	const warp = 32
	n := int64(a.Tiles*a.HomeCount) * warp
	if err := m.launcher.threads(m.kernel, n, unsafe.Pointer(&a), unsafe.Sizeof(a)); err != nil {
		return err
	}
	if rest == "" || s == 0 { // without a previous vertex, the first try is accepted
		return nil
	}
	k := m.kernel
	k.name = restName(k.name, exchangeImage+"_"+rest)
	n = min(int64(a.Tiles*a.HomeCount)*exchangeTile, int64(m.device.Multiprocessors*plan.RestBlocks*plan.GPUBlock))
	return m.launcher.threads(k, n, unsafe.Pointer(&a), unsafe.Sizeof(a))
}

// barrier lets the work that the members submit from now on wait for the present work of all members.
func (x *exchange) barrier() error {
	if err := x.each(func(_ *exchange, m *exchanger) error { return m.reached.Record(m.stream) }); err != nil {
		return err
	}
	return x.each(func(x *exchange, m *exchanger) error {
		for _, other := range x.members {
			if other == m {
				continue
			}
			if err := m.stream.Wait(other.reached); err != nil {
				return err
			}
		}
		return nil
	})
}

// end waits for all members and frees what they hold. A GPU that failed has left gaps in the results of the others, so the
// results are returned only when all GPUs are known to have succeeded.
func (x *exchange) end(err error) (results []*Result, _ error) {
	running := func(f func(m *exchanger) error) {
		for _, m := range x.members {
			if m.run != nil {
				err = first(err, m.device.Do(func() error { return f(m) }))
			}
		}
	}
	running(func(m *exchanger) error {
		if err != nil {
			return nil
		}
		_, err := m.finished()
		return err
	})
	running(func(m *exchanger) error { return m.stream.Synchronize() })
	running(func(m *exchanger) error {
		var freed error
		if m.reached != (cuda.Event{}) {
			freed = m.reached.Destroy()
		}
		if err != nil {
			_ = m.run.end(err)
			return nil
		}
		if freed = first(freed, m.run.end(nil)); m.rows == 0 {
			freed = first(freed, m.result.free())
		}
		return freed
	})
	if err != nil {
		for _, m := range x.members {
			if m.run != nil {
				_ = m.device.Do(m.result.free)
			}
		}
		return nil, err
	}
	results = make([]*Result, len(x.members))
	for i, m := range x.members {
		if m.rows > 0 {
			results[i] = m.result
		}
	}
	x.job.Add(int64(x.rows))
	return results, nil
}
