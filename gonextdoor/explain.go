package gonextdoor

import (
	"fmt"
	"math"
	"math/bits"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/plan"
)

// Question is a call to explain.
type Question struct {
	Graph       *graph.Graph
	App         app.App // its hooks need not be compiled
	Roots       plan.Roots
	Threads     int
	Auto        bool       // the estimate decides the device; On is ignored
	On          Devices    // the devices, unless Auto is set
	Given       string     // why the device is On; empty: the caller named it
	VertexBytes int        // bytes per vertex of the result: 4 or 8
	Order       plan.Order // of the steps of trees on a GPU; "": the planner chooses
}

// Table is a table that a call reads.
type Table struct {
	Name  string `json:"name"`
	Bytes int64  `json:"bytes"` // estimated if it has not been built
	Built bool   `json:"built"`
	When  string `json:"when"` // the condition on which it is built; "": always, before the first sample
}

// Explanation describes how a call will run, with its expected time and memory. A number without a known bound is nil.
type Explanation struct {
	App      string `json:"app"`
	Selector string `json:"selector"`
	Driver   string `json:"driver"`
	Device   string `json:"device"`
	Why      string `json:"why"` // the reason for the device, a sentence

	Samples int      `json:"samples"`
	Choices *float64 `json:"choices"` // of all samples
	// Operations is the number of choices and of the edges that are read to make them, for all samples. Class is the row of
	// the cost model that has their cost.
	Operations *float64 `json:"operations"`
	Class      string   `json:"cost_class"`
	Tables     []Table  `json:"tables"` // on the device
	// Split is how the graph is split over devices when the call reads it; nil: each device has all of it, or there is none.
	Split *SplitPlan `json:"split"`
	// Kept reports whether samples for a version of the graph keep those of vertices whose rows did not change (app.RowLocal).
	Kept bool `json:"kept"`
	// Orders are the orders of execution of the steps, of trees on a GPU.
	Orders []plan.Order `json:"orders"`

	// Expected seconds.
	TablesSeconds   float64  `json:"tables_seconds"` // to build missing tables, including the start of the driver
	SampleSeconds   *float64 `json:"sample_seconds"`
	TransferSeconds *float64 `json:"transfer_seconds"` // to copy the result to the host

	// Expected bytes.
	ResultBytes *float64 `json:"result_bytes"`
	TablesBytes int64    `json:"tables_bytes"` // of tables in host memory
	DeviceBytes *float64 `json:"device_bytes"` // of tables and result in GPU memory
}

// Explain describes how a call will run. It samples nothing and builds no table. A graph that is mapped from files is
// validated, as by its first call. Explain returns the errors that the call would return for its arguments.
func Explain(q Question) (Explanation, error) {
	p, err := plan.Draft(q.App, q.Graph, q.Roots.Width)
	if err != nil {
		return Explanation{}, err
	}
	// 1. Estimate the call on every device.
	call := plan.Call{
		App: q.App, On: app.SizeOf(q.Graph), Samples: q.Roots.Samples(), RootWidth: q.Roots.Width, Threads: q.Threads,
	}
	e := call.Estimate()
	x := Explanation{
		App: q.App.Name(), Selector: p.Selector, Driver: string(p.Driver), Samples: call.Samples, Tables: []Table{}, Orders: []plan.Order{},
		ResultBytes: known(call.ResultBytes() * float64(q.VertexBytes) / 4),
		Class:       plan.CostClass(q.App, q.Roots.Width, call.On),
	}
	call.On.Samples = call.Samples
	each := app.Expect(q.App, q.Roots.Width, call.On)
	if call.Samples == 0 {
		each = app.Expected{}
	}
	x.Choices, x.Operations = known(each.Vertices*float64(call.Samples)), known(each.Operations*float64(call.Samples))
	// 2. Choose the device and describe the call on it.
	on, why, err := q.device(p, e)
	if err != nil {
		return x, err
	}
	x.Device, x.Why = on.String(), why
	if on == OnCPU {
		x.onCPU(q, p, e)
		x.Kept = app.IsRowLocal(q.App, false)
		return x, nil
	}
	s, err := on.splitFor(q.Graph, leastOf(p))
	if err != nil {
		return x, err
	}
	if s.refusal != nil {
		x.Why += "; " + on.unsplit(q.Graph, leastOf(p))
	}
	parts, exceeded, err := on.exceed(p, s, false)
	switch {
	case err != nil:
		return x, err
	case exceeded != nil:
		x.fromHost(q, p, call, e, exceeded.Error())
	case parts.Count > 0:
		x.beyond(q, p, call, e, q.share(on).Beyond(p, parts), parts)
	case len(s.placement.Devices) > 0 && !q.share(on).Split(p).GPU:
		x.fromHost(q, p, call, e, compared(q.share(on).Split(p)))
	default:
		if err := x.onDevice(q, p, call, e, on); err != nil {
			return x, err
		}
	}
	x.split(q.Graph, s)
	if x.Split != nil && q.exchanges(p, on, x.Split.Placed) {
		x.Split.Remote = RemoteExchange
	}
	return x, nil
}

// device returns the devices that run the call, and why.
func (q Question) device(p plan.Plan, e plan.Estimate) (on Devices, why string, err error) {
	if q.Auto {
		c := choose(q.Graph, q.App, q.Roots.Width, q.Roots.Samples(), e.CPU, e.GPU)
		switch {
		case !c.GPU:
			if err := Refusal(q.Graph, q.App, q.Roots.Width); err != nil {
				return OnCPU, "the CPU: " + err.Error(), nil
			}
			return OnCPU, "the CPU: " + compared(c.Choice) + copied(c.parts), nil
		case c.refusal != nil:
			return OnCPU, "the CPU: " + c.refusal.Error(), nil
		}
		return 1 << c.id, "the GPU: " + compared(c.Choice) + copied(c.parts), nil
	}
	given := q.Given
	if given == "" {
		given = "as device says"
	}
	if q.On == OnCPU {
		return OnCPU, "the CPU, " + given, nil
	}
	if _, err := devices.Compile(p); err != nil {
		if q.Given == "" { // a call that names the device is refused
			return OnCPU, "", err
		}
		return OnCPU, "the CPU: " + err.Error(), nil
	}
	if _, err := q.On.splitFor(q.Graph, leastOf(p)); err != nil {
		if q.Given == "" {
			return OnCPU, "", err
		}
		return OnCPU, "the CPU: " + err.Error(), nil
	}
	return q.On, "the GPU, " + given, nil
}

// compared returns the text that compares the CPU with a GPU, the chosen one first.
func compared(c plan.Choice) string {
	if math.IsInf(c.CPU, 1) {
		return "nothing bounds the samples, so that no time is estimated"
	}
	gpu := duration(c.Warm) + more(c)
	if c.GPU {
		return fmt.Sprintf("estimated %s; the CPU %s", gpu, duration(c.CPU))
	}
	return fmt.Sprintf("estimated %s; the GPU %s", duration(c.CPU), gpu)
}

// more returns the time that a GPU needs in addition to the call: the start of the driver and the upload of the graph.
func more(c plan.Choice) (s string) {
	if c.Start > 0 {
		s += " + " + duration(c.Start) + " to start"
	}
	if c.Copy > 0 {
		s += " + " + duration(c.Copy) + " to copy the graph"
	}
	return s
}

// copied returns the part of a sentence that tells how a graph that does not fit is copied.
func copied(p plan.Parts) string {
	switch {
	case p.Count == 0:
		return ""
	case p.Gathered:
		return ", which copies the rows that samples read, because the graph does not fit"
	}
	return fmt.Sprintf(", which copies the graph in %d parts, because it does not fit", p.Count)
}

// duration formats seconds with a suitable unit.
func duration(seconds float64) string {
	switch {
	case seconds < 1e-3:
		return fmt.Sprintf("%.3g us", seconds*1e6)
	case seconds < 1:
		return fmt.Sprintf("%.3g ms", seconds*1e3)
	}
	return fmt.Sprintf("%.3g s", seconds)
}

// known returns a finite number, or nil.
func known(x float64) *float64 {
	if math.IsInf(x, 0) || math.IsNaN(x) {
		return nil
	}
	return &x
}

// onCPU adds the times and tables of a call on the CPU.
func (x *Explanation) onCPU(q Question, p plan.Plan, e plan.Estimate) {
	zero := 0.0
	x.SampleSeconds, x.TransferSeconds, x.DeviceBytes = known(e.CPU), &zero, &zero
	for _, need := range p.Tables {
		t := Table{Name: need.Table.Name, Bytes: need.Table.Bytes(q.Graph), Built: need.Table.Built(q.Graph)}
		if x.TablesBytes += t.Bytes; need.Work > 0 {
			t.When = "when calls so far made enough choices to pay for it"
		}
		if !t.Built && (need.Work == 0 || x.Samples*need.Work >= q.Graph.NumEdges()) {
			x.TablesSeconds += need.Seconds(q.Graph, q.Threads)
		}
		x.Tables = append(x.Tables, t)
	}
}

// onDevice adds the times and tables of a call on devices.
func (x *Explanation) onDevice(q Question, p plan.Plan, c plan.Call, e plan.Estimate, on Devices) error {
	tables, err := devices.Tables(p, on.First(), false)
	if err != nil {
		return err
	}
	device, missing := 0.0, 0.0
	for _, t := range tables {
		x.Tables = append(x.Tables, Table{Name: t.Name, Bytes: t.Bytes, Built: t.Built})
		if device += float64(t.Bytes); !t.Built {
			missing += float64(t.Bytes)
		}
	}
	if missing > 0 {
		x.TablesSeconds = missing/plan.UploadRate + plan.GPUTableEdge*float64(c.On.Edges)
	}
	if !devices.Opened() {
		x.TablesSeconds += plan.GPUStart
	}
	x.Orders = append(x.Orders, p.Orders(c.Samples, c.RootWidth, q.Order)...)
	x.SampleSeconds, x.TransferSeconds = known(e.GPU-e.GPUTransfer), known(e.GPUTransfer)
	x.DeviceBytes = known(device + c.ResultBytes())
	return nil
}

// fromHost adds the times and tables of a call whose samples the CPU makes and copies to the device.
func (x *Explanation) fromHost(q Question, p plan.Plan, c plan.Call, e plan.Estimate, why string) {
	x.onCPU(q, p, e)
	x.Why += "; the CPU makes the samples, which are copied to the GPU: " + why
	if !devices.Opened() {
		x.TablesSeconds += plan.GPUStart
	}
	x.TransferSeconds, x.DeviceBytes = known(c.UploadSeconds()), known(c.ResultBytes())
}

// share returns the rows of the first device, which decides by them whether the CPU makes its samples.
func (q Question) share(on Devices) plan.Batch {
	b := plan.Batch{Roots: q.Roots, Threads: q.Threads, Order: q.Order}
	if rows, n := q.Roots.Samples(), bits.OnesCount64(uint64(on)); rows >= n && n > 1 {
		b = b.ForDevice(0, n, 0, rows/n)
	}
	return b
}

// beyond adds how a call runs whose graph exceeds the memory of the devices, and can be copied there as parts says: as the devices
// decide for their rows.
func (x *Explanation) beyond(q Question, p plan.Plan, c plan.Call, e plan.Estimate, choice plan.Choice, parts plan.Parts) {
	if !choice.GPU {
		x.fromHost(q, p, c, e, compared(choice)+copied(parts))
		return
	}
	x.inParts(c, e, parts)
	x.Why += copied(parts)
	if q.Order != "" {
		x.Why += fmt.Sprintf("; plan names the order %q, which is one of a GPU", q.Order)
	} else {
		x.Why += ": " + compared(choice)
	}
}

// inParts adds the times and memory of a call that copies the graph part by part.
func (x *Explanation) inParts(c plan.Call, e plan.Estimate, p plan.Parts) {
	slots := int64(p.Slots) * p.SlotBytes
	table := Table{
		Name: fmt.Sprintf("%d slots for %d parts of the graph", p.Slots, p.Count), Bytes: slots,
		When: fmt.Sprintf("at each call: the graph does not fit, so parts of %d bytes are copied in turn, %d bytes together", p.SlotBytes, p.Bytes),
	}
	if p.Gathered {
		table.Name, table.When = "rows of the graph", fmt.Sprintf("at each call: the graph does not fit, so the rows that samples read are copied, of %d bytes together", p.Bytes)
	}
	x.Tables = append(x.Tables, table)
	if p.Beside > 0 {
		x.Tables = append(x.Tables, Table{Name: p.BesideName + " of all vertices", Bytes: p.Beside})
	}
	if !devices.Opened() {
		x.TablesSeconds = plan.GPUStart
	}
	for range p.Sweeps {
		x.Orders = append(x.Orders, plan.TransitOrder)
	}
	e = c.InParts(e, p)
	x.SampleSeconds, x.TransferSeconds = known(e.GPU-e.GPUTransfer), known(e.GPUTransfer)
	x.DeviceBytes = known(float64(slots+p.Beside) + c.ResultBytes())
}

// SplitPlan is how a call reads a graph that is split over devices.
type SplitPlan struct {
	Placed
	Made bool   `json:"made"` // the graph is split already; otherwise the call splits it
	Why  string `json:"why"`
	// Remote is how a call reads the rows of other devices: "peers" by reads of their memory, "exchange" not at all: the device
	// that has the vertex makes each step.
	Remote string `json:"remote"`
}

// Values of SplitPlan.Remote.
const (
	RemotePeers    = "peers"
	RemoteExchange = "exchange"
)

// exchanges reports whether the call is expected to exchange walks. The decision is that of engine.Device.KeepTogether, by the
// share of all data without a replica instead of that of the edges.
func (q Question) exchanges(p plan.Plan, on Devices, placed Placed) bool {
	b := plan.Batch{Roots: q.Roots, Order: q.Order}
	all, missing := int64(0), int64(0)
	for _, part := range placed.Parts {
		all += part.Bytes - part.Replicated
	}
	for _, part := range placed.Parts {
		missing = max(missing, all-part.Bytes)
	}
	if q.Order == "" && float64(missing) < plan.ExchangeRemote*float64(all) {
		return false
	}
	return b.Exchanges(bits.OnesCount64(uint64(on))) && devices.Exchanges(p)
}

// split adds how a call reads a split graph. The bytes of a part that is not in device memory yet are its share of the bytes
// of the tables, by edges.
func (x *Explanation) split(g *graph.Graph, s split) {
	if len(s.placement.Devices) == 0 {
		return
	}
	x.Split = &SplitPlan{Placed: Placed{Automatic: true, Parts: partsOf(g, s.placement)}, Made: !s.makes, Why: s.why, Remote: RemotePeers}
	if now, placed := PlacementOf(g); placed && !s.makes {
		x.Split.Placed = now
	}
	bytes := int64(0)
	for _, t := range x.Tables {
		bytes += t.Bytes
	}
	for i, part := range x.Split.Parts {
		if part.Bytes == 0 && g.NumEdges() > 0 {
			x.Split.Parts[i].Bytes = int64(float64(bytes) * float64(part.Edges) / float64(g.NumEdges()))
		}
	}
}
