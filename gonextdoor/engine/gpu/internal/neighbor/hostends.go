package neighbor

import (
	"errors"
	"math"
	"unsafe"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/engine/cpu/stage"
	"gonextdoor/gonextdoor/engine/gpu/internal/launch"
	"gonextdoor/gonextdoor/engine/gpu/resident"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/parallel"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/kernels"
)

// ReadsDegreesOnly reports whether mini-batches of h choose edges by the degrees of nodes alone: uniformly at random, without
// times, and with few enough draws per node. m is bound to h.
func ReadsDegreesOnly(h *graph.Hetero, m *app.NeighborSampling, s app.SeedNodes) bool {
	n := Sampler{Graph: h}
	q := n.requestOf(m, []Batch{{SeedNodes: s}})
	return q.readsDegreesOnly()
}

func (q *batchRequest) readsDegreesOnly() bool {
	for r := range q.graphs {
		if q.weighs(r) {
			return false
		}
	}
	return q.choice() == rowChoice
}

// DrawFromHost draws mini-batches, each equal to app.NeighborSampling.Sample, of a graph that does not fit the GPU's memory. The
// GPU chooses the positions of edges, for which it has the begins of the rows, and threads of the host read the end points that
// are not in GPU memory: see kernels/driver/hostends.cuh. m is bound to the graph. The result is nil if ReadsDegreesOnly is
// false, or if the memory is too small for the begins of the rows too.
//
// Errors: those of Begin.
func (n *Sampler) DrawFromHost(m *app.NeighborSampling, batches []Batch, threads int, j *job.Job) (*Batches, error) {
	if err := n.check(m, batches, j); err != nil {
		return nil, err
	}
	q := n.requestOf(m, batches)
	if !q.readsDegreesOnly() {
		return nil, nil
	}
	for {
		d := &hostDraw{batchDraw: batchDraw{batchRequest: q, job: j, device: n.Engine.Device}, threads: threads}
		err := d.device.Do(func() error {
			err := d.begin()
			if err == nil {
				err = d.draw()
			}
			return d.end(err)
		})
		if err == nil {
			return d.result, nil
		}
		if !errors.Is(err, resident.ErrRoom) && !errors.Is(err, cuda.ErrMemory) {
			return nil, err
		}
		if reduced, err := n.reduceNear(d.share); err != nil || !reduced {
			return nil, err
		}
	}
}

// hostDraw is a draw of which the host reads the end points. It is used within Device.Do, by one thread.
type hostDraw struct {
	batchDraw
	threads  int
	share    nearShare
	near     []nearEnds // by relation
	wide     bool       // positions have 8 bytes
	launched cuda.Event // after the last launch

	// Of an attempt, per edge of the capacity:
	ends      cuda.Memory // the end points, on the GPU
	positions cuda.Pinned
	read      cuda.Pinned // the end points that the host has read
	ids       cuda.Pinned // if a graph has ids
}

// begin uploads what the draw reads.
func (d *hostDraw) begin() (err error) {
	if d.stream, err = d.from.Engine.WorkStream(); err != nil {
		return err
	}
	if d.loaded, err = d.from.kernels(hostChoice); err != nil {
		return err
	}
	if err := d.holdNear(); err != nil {
		return err
	}
	d.wide = d.from.Engine.Tuning.WidePositions
	for _, g := range d.graphs {
		d.wide = d.wide || g.NumEdges() > math.MaxUint32
	}
	if d.launched, err = d.device.NewEvent(); err != nil {
		return err
	}
	return d.prepare()
}

// draw makes attempts until everything fits.
func (d *hostDraw) draw() error {
	for {
		again, err := d.attempt()
		if err == nil && !again {
			again, err = d.outcome()
		}
		if err == nil && !again {
			again, err = d.finish()
		}
		if err != nil || !again {
			return err
		}
	}
}

// attempt makes the launches of all steps, and submits the compaction if the size of the result is known. again reports that
// the capacity was too small; it has been increased then.
func (d *hostDraw) attempt() (again bool, err error) {
	if err := d.allocate(); err != nil {
		return false, err
	}
	if err := d.allocateEnds(); err != nil {
		return false, err
	}
	for s := range d.params.stepCount + 1 {
		if err := d.job.Err(); err != nil {
			return false, err
		}
		if err := d.launchStep(s); err != nil {
			return false, err
		}
		if s > 0 { // while the GPU chooses edges
			if err := d.readIDs(s - 1); err != nil {
				return false, err
			}
		}
		if s == d.params.stepCount {
			break
		}
		if err := launch.First(d.launched.Record(d.stream), d.launched.Synchronize()); err != nil {
			return false, err
		}
		if again, err = d.verdict(); err != nil || again {
			return again, err
		}
		if err := d.readEnds(s); err != nil {
			return false, err
		}
	}
	if d.allocateExpected() {
		return false, d.compactEarly()
	}
	return false, nil
}

// allocateEnds allocates the memory by which the GPU and the host exchange positions and end points. No copy of the attempt
// before is in progress.
func (d *hostDraw) allocateEnds() (err error) {
	edges := d.capacity.edges
	if d.ends.Bytes == 4*edges {
		return nil
	}
	if err := d.freeEnds(); err != nil {
		return err
	}
	if d.ends, err = resident.Alloc(d.device, 4*edges, d.stream); err != nil {
		return err
	}
	if d.positions, err = d.device.Pin(d.positionBytes() * edges); err != nil {
		return err
	}
	if d.read, err = d.device.Pin(4 * edges); err != nil {
		return err
	}
	for _, near := range d.near {
		if hasIDs(near.graph) && d.ids.Pointer == nil {
			d.ids, err = d.device.Pin(8 * edges)
		}
	}
	return err
}

// freeEnds frees the memory of allocateEnds.
func (d *hostDraw) freeEnds() error {
	err := launch.First(d.device.Free(d.ends, d.stream), d.device.Unpin(d.positions), d.device.Unpin(d.read), d.device.Unpin(d.ids))
	d.ends, d.positions, d.read, d.ids = cuda.Memory{}, cuda.Pinned{}, cuda.Pinned{}, cuda.Pinned{}
	return err
}

// positionBytes returns the bytes of a position on the host.
func (d *hostDraw) positionBytes() int64 {
	if d.wide {
		return 8
	}
	return 4
}

// launchStep completes the step before s and chooses the edges of step s.
func (d *hostDraw) launchStep(s int) error {
	a := kernels.HostEnds{
		N: d.args, Step: uint64(s), Ends: uint64(d.ends.Address), Positions: uint64(uintptr(d.positions.Pointer)),
		PositionSize: uint64(d.positionBytes()),
	}
	return d.loaded.draw.Launch(d.grid(d.loaded.blocks, true), d.stream, &a)
}

// places returns the places lo ... hi-1 of the edges of a step.
func (d *hostDraw) places(s int) (lo, hi int) {
	at := d.report.edgeAt[s*(len(d.batches)+1):]
	return int(at[0]), int(at[len(d.batches)])
}

// readEnds reads the end points of the edges of a step and copies them to the GPU.
func (d *hostDraw) readEnds(s int) error {
	lo, hi := d.places(s)
	near, to := d.near[s%len(d.near)], pinnedSlice[uint32](d.read, lo, hi)
	far := near.graph.Indices[:near.first]
	err := parallel.For(d.job, d.threads, hi-lo, plan.HostEndPiece, func(from, end int) error {
		if d.wide {
			stage.ReadEnds(to[from:end], far, pinnedSlice[uint64](d.positions, lo+from, lo+end))
		} else {
			stage.ReadEnds(to[from:end], far, pinnedSlice[uint32](d.positions, lo+from, lo+end))
		}
		return nil
	})
	if err != nil {
		return err
	}
	return d.device.CopyIn(d.ends.Address+uintptr(4*lo), unsafe.Pointer(unsafe.SliceData(to)), int64(4*len(to)), d.stream)
}

// readIDs reads the ids of the edges of a step, if the graph has any, and copies them to the GPU in place of the positions.
func (d *hostDraw) readIDs(s int) error {
	lo, hi := d.places(s)
	g := d.near[s%len(d.near)].graph
	if !hasIDs(g) {
		return nil
	}
	to := pinnedSlice[uint64](d.ids, lo, hi)
	err := parallel.For(d.job, d.threads, hi-lo, plan.HostEndPiece, func(from, end int) error {
		if d.wide {
			readEdgeIDs(to[from:end], g, pinnedSlice[uint64](d.positions, lo+from, lo+end))
		} else {
			readEdgeIDs(to[from:end], g, pinnedSlice[uint32](d.positions, lo+from, lo+end))
		}
		return nil
	})
	if err != nil {
		return err
	}
	return d.device.CopyIn(uintptr(d.args.Positions)+uintptr(8*lo), unsafe.Pointer(unsafe.SliceData(to)), int64(8*len(to)), d.stream)
}

// readEdgeIDs reads the ids of the edges at some positions.
func readEdgeIDs[P uint32 | uint64](to []uint64, g *graph.Graph, positions []P) {
	for i, p := range positions {
		to[i] = g.EdgeID(uint64(p))
	}
}

// pinnedSlice returns elements of pinned memory.
func pinnedSlice[T any](m cuda.Pinned, lo, hi int) []T {
	return unsafe.Slice((*T)(m.Pointer), hi)[lo:hi]
}

// end frees the memory of the call, and after an error also the result.
func (d *hostDraw) end(err error) error {
	err = d.batchDraw.end(err) // after an error, it waits for the GPU
	err = launch.First(err, d.freeEnds())
	if d.launched != (cuda.Event{}) {
		err = launch.First(err, d.launched.Destroy())
	}
	return err
}
