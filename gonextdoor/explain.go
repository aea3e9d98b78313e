package gonextdoor

import (
	"fmt"
	"math"

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
	Auto        bool    // whether the estimate decides the device; otherwise it is On
	On          Devices // unless Auto
	Given       string  // why the device is On; empty: the caller named it
	VertexBytes int     // of a vertex of the result: 4 or 8
}

// Table is a table that a call reads.
type Table struct {
	Name  string `json:"name"`
	Bytes int64  `json:"bytes"` // estimated if it has not been built
	Built bool   `json:"built"`
	When  string `json:"when"` // "": before the first sample; otherwise on which condition it is built
}

// Explanation says how a call will run, and what it is expected to take. Numbers that nothing bounds are nil.
type Explanation struct {
	App      string `json:"app"`
	Selector string `json:"selector"`
	Driver   string `json:"driver"`
	Device   string `json:"device"`
	Why      string `json:"why"` // the reason for the device, a sentence

	Samples int      `json:"samples"`
	Choices *float64 `json:"choices"` // of all samples
	// Operations are the choices and the edges that are read to make them, of all samples; Class is what they cost: the row
	// of the cost model.
	Operations *float64 `json:"operations"`
	Class      string   `json:"cost_class"`
	Tables     []Table  `json:"tables"` // on the device

	// Seconds that are expected.
	TablesSeconds   float64  `json:"tables_seconds"` // until the missing tables are there, with the start of the driver
	SampleSeconds   *float64 `json:"sample_seconds"`
	TransferSeconds *float64 `json:"transfer_seconds"` // of the result to the host

	// Bytes that are expected.
	ResultBytes *float64 `json:"result_bytes"`
	TablesBytes int64    `json:"tables_bytes"` // of this machine's memory
	DeviceBytes *float64 `json:"device_bytes"` // of the GPU's memory: tables and result
}

// Explain returns how a call will run. It samples nothing and builds no table; a graph that is mapped from files is
// validated, as by its first call. It refuses what the call would refuse.
func Explain(q Question) (Explanation, error) {
	p, err := plan.Draft(q.App, q.Graph, q.Roots.Width)
	if err != nil {
		return Explanation{}, err
	}
	call := plan.Call{
		App: q.App, On: app.SizeOf(q.Graph), Samples: q.Roots.Samples(), RootWidth: q.Roots.Width, Threads: q.Threads,
	}
	e := call.Estimate()
	x := Explanation{
		App: q.App.Name(), Selector: p.Selector, Driver: string(p.Driver), Samples: call.Samples, Tables: []Table{},
		ResultBytes: known(call.ResultBytes() * float64(q.VertexBytes) / 4),
		Class:       plan.CostClass(q.App, call.On),
	}
	call.On.Samples = call.Samples
	each := app.Expect(q.App, q.Roots.Width, call.On)
	if call.Samples == 0 {
		each = app.Expected{}
	}
	x.Choices, x.Operations = known(each.Vertices*float64(call.Samples)), known(each.Operations*float64(call.Samples))
	on, why, err := q.device(p, e)
	if err != nil {
		return x, err
	}
	x.Device, x.Why = on.String(), why
	if on == OnCPU {
		x.onCPU(q, p, e)
		return x, nil
	}
	return x, x.onDevice(q, p, call, e, on)
}

// device returns the devices that run the call, and why.
func (q Question) device(p plan.Plan, e plan.Estimate) (on Devices, why string, err error) {
	if q.Auto {
		c := choose(q.Graph, q.App, q.Roots.Width, e.CPU, e.GPU)
		switch {
		case !c.GPU:
			if err := Refusal(q.Graph, q.App, q.Roots.Width); err != nil {
				return OnCPU, "the CPU: " + err.Error(), nil
			}
			return OnCPU, compared("the CPU", c.Choice), nil
		case c.refusal != nil:
			return OnCPU, "the CPU: " + c.refusal.Error(), nil
		}
		return 1, compared("the GPU", c.Choice), nil
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
	return q.On, "the GPU, " + given, nil
}

// compared returns the sentence that compares the CPU with a GPU.
func compared(taken string, c plan.Choice) string {
	if math.IsInf(c.CPU, 1) {
		return taken + ": nothing bounds the samples, so that no time is estimated"
	}
	gpu := duration(c.Warm) + more(c)
	if c.GPU {
		return fmt.Sprintf("%s: estimated %s; the CPU %s", taken, gpu, duration(c.CPU))
	}
	return fmt.Sprintf("%s: estimated %s; the GPU %s", taken, duration(c.CPU), gpu)
}

// more returns what a GPU needs besides the call.
func more(c plan.Choice) (s string) {
	if c.Start > 0 {
		s += " + " + duration(c.Start) + " to start"
	}
	if c.Copy > 0 {
		s += " + " + duration(c.Copy) + " to copy the graph"
	}
	return s
}

// duration returns seconds as people read them.
func duration(seconds float64) string {
	switch {
	case seconds < 1e-3:
		return fmt.Sprintf("%.3g us", seconds*1e6)
	case seconds < 1:
		return fmt.Sprintf("%.3g ms", seconds*1e3)
	}
	return fmt.Sprintf("%.3g s", seconds)
}

// known returns a number that is not infinite, or nil.
func known(x float64) *float64 {
	if math.IsInf(x, 0) || math.IsNaN(x) {
		return nil
	}
	return &x
}

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
	x.SampleSeconds, x.TransferSeconds = known(e.GPU-e.GPUTransfer), known(e.GPUTransfer)
	x.DeviceBytes = known(device + c.ResultBytes())
	return nil
}
