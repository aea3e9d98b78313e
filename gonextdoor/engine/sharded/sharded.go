// Package sharded runs a batch on several devices concurrently, each on a range of the rows. The samples equal those of one
// device.
//
// It is not under internal/ so that programs that build engines themselves can combine them.
package sharded

import (
	"errors"
	"slices"
	"strings"
	"sync/atomic"

	"gonextdoor/gonextdoor/engine"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/output"
	"gonextdoor/gonextdoor/parallel"
	"gonextdoor/gonextdoor/plan"
)

// Engine is a list of devices. Device i of n has the rows [rows*i/n, rows*(i+1)/n).
type Engine []engine.Device

var _ engine.Engine = Engine{}

// Name returns the names of the devices, separated by commas.
func (e Engine) Name() string {
	var names []string
	for _, one := range e {
		names = append(names, one.Name())
	}
	return strings.Join(names, ",")
}

// Matrix lets each device write its rows of out, or all devices together.
func (e Engine) Matrix(p plan.Plan, g *graph.Graph, b plan.Batch, out output.Matrix, j *job.Job) error {
	each := len(e) * max(plan.ExchangeRows, plan.ExchangeHostBytes/(4*out.Width))
	m := matrix{e, p, g, b, out, j, each}
	return m.fill()
}

// Sweeps reports whether a call of Matrix reads all of the graph on some device.
func (e Engine) Sweeps(p plan.Plan, g *graph.Graph, b plan.Batch) bool {
	return slices.ContainsFunc(e, func(one engine.Device) bool {
		s, ok := one.(engine.Sweeper)
		return ok && s.Sweeps(p, g, b)
	})
}

// FromHost reports whether the CPU is expected to make the samples of some device.
func (e Engine) FromHost(p plan.Plan, b plan.Batch) bool {
	bounds := e.bounds(b.Roots.Samples())
	for i, one := range e {
		lo, hi := bounds[i], bounds[i+1]
		if h, ok := one.(engine.Hosted); ok && lo < hi && h.FromHost(p, b.ForDevice(i, len(e), lo, hi)) {
			return true
		}
	}
	return false
}

// Ragged concatenates the engines' results.
func (e Engine) Ragged(p plan.Plan, g *graph.Graph, b plan.Batch, j *job.Job) (all output.Ragged, err error) {
	parts := make([]output.Ragged, len(e))
	err = e.each(b, func(i int, part plan.Batch, _, _ int) (err error) {
		parts[i], err = e[i].Ragged(p, g, part, j)
		return err
	})
	if err != nil {
		for _, part := range parts {
			part.Return()
		}
		return all, err
	}
	return output.Join(parts, b.Edges)
}

// Layers concatenates the engines' results.
func (e Engine) Layers(p plan.Plan, g *graph.Graph, b plan.Batch, j *job.Job) (all output.Layers, err error) {
	parts := make([]output.Layers, len(e))
	err = e.each(b, func(i int, part plan.Batch, _, _ int) (err error) {
		parts[i], err = e[i].Layers(p, g, part, j)
		return err
	})
	if err != nil {
		for _, part := range parts {
			part.Return()
		}
		return all, err
	}
	return output.JoinLayers(parts, b.Edges, p.Records)
}

// Keep makes each device's rows and leaves them there, in the order of the rows. A device without rows has no samples,
// except the first if there are no rows at all. size is that of engine.Device.Keep. It returns nil if the memory of a device
// is too small.
func (e Engine) Keep(p plan.Plan, g *graph.Graph, b plan.Batch, size int, j *job.Job) ([]engine.DeviceSamples, error) {
	if len(e) == 1 || b.Roots.Samples() == 0 {
		shard, err := e[0].Keep(p, g, b, size, j)
		if shard == nil {
			return nil, err
		}
		return []engine.DeviceSamples{shard}, err
	}
	shards, done, err := e[0].KeepTogether(e, p, g, b, e.bounds(b.Roots.Samples()), size, j)
	if done || err != nil {
		return slices.DeleteFunc(shards, absent), err
	}
	var full atomic.Bool // the memory of a device
	shards = make([]engine.DeviceSamples, len(e))
	err = e.each(b, func(i int, part plan.Batch, _, _ int) error {
		shard, err := e[i].Keep(p, g, part, size, j)
		if shard != nil {
			shards[i] = shard
		} else if err == nil {
			full.Store(true)
		}
		return err
	})
	shards = slices.DeleteFunc(shards, absent)
	if err != nil || full.Load() {
		return nil, errors.Join(err, Release(shards))
	}
	return shards, nil
}

// absent reports whether a device has no samples.
func absent(shard engine.DeviceSamples) bool { return shard == nil }

// Release releases samples of Keep.
func Release(shards []engine.DeviceSamples) (err error) {
	for _, shard := range shards {
		err = errors.Join(err, shard.Release())
	}
	return err
}

// CountVisits lets count count the visits of each device's rows and write their last vertices to ends, which may be nil.
func (e Engine) CountVisits(b plan.Batch, ends []uint32, count func(one engine.Device, part plan.Batch, ends []uint32) error) error {
	return e.each(b, func(i int, part plan.Batch, lo, hi int) error {
		last := ends
		if ends != nil {
			last = ends[lo:hi]
		}
		return count(e[i], part, last)
	})
}

// each calls f for every device, concurrently, with the device's rows [lo, hi) of the batch. It returns one of the errors.
// Devices without rows are skipped.
func (e Engine) each(b plan.Batch, f func(i int, part plan.Batch, lo, hi int) error) error {
	bounds := e.bounds(b.Roots.Samples())
	return parallel.For(nil, len(e), len(e), 1, func(i, _ int) error {
		lo, hi := bounds[i], bounds[i+1]
		if lo == hi {
			return nil
		}
		return f(i, b.ForDevice(i, len(e), lo, hi), lo, hi)
	})
}

// UploadRoots copies roots in host memory to the devices that Keep lets make their rows. fill validates and writes those from
// number first on, some at a time; it is called by several goroutines. The returned roots are for one call of Keep with the same
// number of rows, after which the caller calls free. After an error nothing is held.
func (e Engine) UploadRoots(r plan.Roots, fill func(first int, into []uint32) error) (up plan.Roots, free func() error, err error) {
	all := plan.Batch{Roots: r}
	held, addresses := make([]engine.DeviceRoots, len(e)), make([]uintptr, len(e))
	free = func() (err error) {
		for _, one := range held {
			if one != nil {
				err = errors.Join(err, one.Free())
			}
		}
		return err
	}
	err = e.each(all, func(i int, _ plan.Batch, lo, hi int) (err error) {
		first, end := lo/r.Repeat*r.Width, ((hi-1)/r.Repeat+1)*r.Width
		one, err := e[i].UploadRoots(end-first, func(at int, into []uint32) error { return fill(first+at, into) })
		if err == nil {
			held[i], addresses[i] = one, one.Address()-uintptr(4*first)
		}
		return err
	})
	if err != nil {
		return r, nil, errors.Join(err, free())
	}
	if r.Vertices = []uint32{}; len(e) == 1 {
		r.OnDevice = addresses[0]
	} else {
		r.OnDevices = addresses
	}
	return r, free, nil
}

// bounds returns where the rows of the devices begin: device i has the rows [bounds[i], bounds[i+1]).
func (e Engine) bounds(rows int) []int {
	bounds := make([]int, len(e)+1)
	for i := range bounds {
		bounds[i] = rows * i / len(e)
	}
	return bounds
}
