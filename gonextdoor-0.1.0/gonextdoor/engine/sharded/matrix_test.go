package sharded

import (
	"errors"
	"slices"
	"sync/atomic"
	"testing"
	"unsafe"

	"gonextdoor/gonextdoor/engine"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/output"
	"gonextdoor/gonextdoor/plan"
)

// counter is a device whose sample i is i, i, i. A call fails, or finds too little memory, from a row on.
type counter struct {
	engine.Device
	state *counterState
}

type counterState struct {
	alone        []bool       // by row, whether it was made by Matrix
	full, broken int          // the first rows of calls of KeepTogether without memory, and with an error; below 0: none
	live         atomic.Int64 // samples that were not released
	apart        bool         // KeepTogether does nothing
}

var errBroken = errors.New("broken")

func (c counter) KeepTogether(
	all []engine.Device, _ plan.Plan, _ *graph.Graph, b plan.Batch, bounds []int, _ int, _ *job.Job,
) (shards []engine.DeviceSamples, done bool, err error) {
	first := int(b.First)
	switch {
	case c.state.apart || first > 0 && b.Order != plan.TransitOrder:
		return nil, false, nil
	case c.state.broken >= 0 && first >= c.state.broken:
		return nil, true, errBroken
	case c.state.full >= 0 && first >= c.state.full:
		return nil, true, nil
	}
	for i := range all {
		var shard engine.DeviceSamples
		if bounds[i] < bounds[i+1] {
			c.state.live.Add(1)
			shard = numbered{state: c.state, first: first + bounds[i], rows: bounds[i+1] - bounds[i]}
		}
		shards = append(shards, shard)
	}
	return shards, true, nil
}

func (c counter) Matrix(_ plan.Plan, _ *graph.Graph, b plan.Batch, out output.Matrix, _ *job.Job) error {
	for i := range out.Vertices {
		out.Vertices[i] = uint32(int(b.First) + i/3)
	}
	for i := range b.Roots.Samples() {
		c.state.alone[int(b.First)+i] = true
	}
	return nil
}

// numbered are samples of a counter.
type numbered struct {
	engine.DeviceSamples
	state       *counterState
	first, rows int
}

func (n numbered) CopyOut(_ engine.Part, width int, to unsafe.Pointer, _ int, _ *job.Job) error {
	for i := range unsafe.Slice((*uint32)(to), n.rows*width) {
		unsafe.Slice((*uint32)(to), n.rows*width)[i] = uint32(n.first + i/width)
	}
	return nil
}

func (n numbered) Release() error {
	n.state.live.Add(-1)
	return nil
}

// Ranges of rows are made together and copied one after another. If memory does not suffice for one, each device makes the
// rest of its rows.
func TestMatricesAreMadeInRanges(t *testing.T) {
	for _, c := range []struct {
		rows, each, full, broken int
		apart                    bool
		together                 int // rows
	}{
		{10, 4, -1, -1, false, 10}, {10, 10, -1, -1, false, 10}, {3, 100, -1, -1, false, 3}, {1, 1, -1, -1, false, 1},
		{10, 4, 4, -1, false, 4}, {10, 4, 0, -1, false, 0}, {10, 4, -1, -1, true, 0}, {10, 4, -1, 8, false, -1}, {10, 4, -1, 0, false, -1},
	} {
		s := &counterState{alone: make([]bool, c.rows), full: c.full, broken: c.broken, apart: c.apart}
		devices := Engine{counter{state: s}, counter{state: s}}
		out := output.Matrix{Vertices: make([]uint32, 3*c.rows), Width: 3, Roots: 1}
		m := matrix{devices: devices, batch: plan.Batch{Roots: plan.Roots{Count: c.rows, Width: 1, Repeat: 1}}, out: out, each: c.each}
		err := m.fill()
		if n := s.live.Load(); n != 0 {
			t.Errorf("%+v: %d samples are held", c, n)
		}
		if c.together < 0 {
			if !errors.Is(err, errBroken) {
				t.Errorf("%+v: %v", c, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%+v: %v", c, err)
		}
		for i, v := range out.Vertices {
			if int(v) != i/3 {
				t.Fatalf("%+v: element %d is %d", c, i, v)
			}
		}
		if alone := slices.Index(append(s.alone, true), true); alone != c.together {
			t.Errorf("%+v: %d rows were made together", c, alone)
		}
	}
}
