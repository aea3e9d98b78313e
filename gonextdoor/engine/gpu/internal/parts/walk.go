package parts

import (
	"unsafe"

	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/engine/gpu/internal/launch"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/kernels"
)

// partWalk makes the steps of a launch on a graph of which GPU memory has some parts at a time.
// kernels/driver/streamedwalk.cuh describes the kernels.
//
// After each kernel the host reads how many walkers wait for each part. While the next kernel runs, the part for which the
// most walkers wait is copied to the slot for whose part the fewest wait. A part for which no walker waits is not copied.
type partWalk struct {
	*launch.Run
	args    kernels.StreamedWalk
	slots   *slots
	pinned  cuda.Pinned
	waiting []uint64   // per part the walkers that wait for it, in pinned memory
	counted cuda.Event // reached when waiting is up to date
}

// partState is the size in bytes of the state of a row's walkers.
func partState(r *launch.Run) int64 {
	return 4 * int64(partsOf(r).Words) * int64(r.Walkers())
}

// walkParts makes the steps [T.Begin, T.End) of the rows [B.From, B.Rows). It returns when they are complete.
func walkParts(r *launch.Run, a *kernels.Walk) error { return walkPartsTo(r, a, cuda.Memory{}) }

// walkPartsTo is walkParts. It also writes the last vertex of each sample to last, if that is memory and there is no trace.
func walkPartsTo(r *launch.Run, a *kernels.Walk, last cuda.Memory) error {
	if a.B.Rows == a.B.From {
		return nil
	}
	w := &partWalk{Run: r, args: kernels.StreamedWalk{W: *a, Last: uint64(last.Address)}}
	err := w.begin()
	for _, work := range []func() error{w.enter, w.advance, w.patch} {
		if err == nil {
			err = work()
		}
	}
	return w.end(err)
}

// begin cuts the graph, allocates the slots and the state of the walkers, and fills the result with missing vertices.
func (w *partWalk) begin() (err error) {
	a, spec := &w.args, partsOf(w.Run)
	a.Walkers, a.Words = uint64(w.Walkers()), uint64(spec.Words)
	if w.slots, err = newSlots(w.Run); err != nil {
		return err
	}
	cut := w.slots.cut
	a.Parts = uint64(cut.parts())
	bounds := make([]uint32, len(cut.bounds))
	for i, b := range cut.bounds {
		bounds[i] = uint32(b)
	}
	if err := launch.Put(&w.Scratch, &a.Bounds, bounds); err != nil {
		return err
	}
	rows := int64(a.W.B.Rows)
	err = w.TakeAll(launch.Array(&a.States, partState(w.Run)*rows), launch.Array(&a.Waiting, 8*int64(a.Parts)))
	if err != nil {
		return err
	}
	if w.pinned, err = w.Device.Pin(8 * int64(a.Parts)); err != nil {
		return err
	}
	w.waiting = unsafe.Slice((*uint64)(w.pinned.Pointer), a.Parts)
	if w.counted, err = w.Device.NewEvent(); err != nil {
		return err
	}
	a.Steps = uint64(max(2, min(plan.LaunchRowSteps, plan.PartSteps*w.LaunchSteps()/(rows*int64(a.Walkers)))))
	if spec.second {
		err = w.TakeAll(launch.Array(&a.W.T.Alive, 4*rows), launch.Zeros(&a.W.T.AliveCount, 8))
	}
	if w.Plan.Width == 0 && a.W.T.Vertices != 0 {
		a.Ragged = 1
		return err
	}
	return launch.First(err, w.fillResult())
}

// fillResult marks all vertices after the roots, and all edges, of a result of one width as missing: walks that end write no
// more. The roots may be in the result already.
func (w *partWalk) fillResult() error {
	all, roots := ^uint32(0), 4*int64(w.Result.Stride)*int64(w.Batch.Roots.Width)
	v, e := w.Result.Vertices, w.Result.Edges
	return launch.First(
		w.Device.Fill32(v.Address+uintptr(roots), all, (v.Bytes-roots)/4, w.Stream), w.Device.Fill32(e.Address, all, e.Bytes/4, w.Stream),
	)
}

// launchPart starts a kernel, and the copy of the numbers of waiting walkers to the host.
func (w *partWalk) launchPart(name string) error {
	bytes := 8 * int64(w.args.Parts)
	walkers := int(w.args.W.B.Rows*w.args.Walkers - w.args.W.B.From)
	tiles := (walkers + kernels.StreamedTile - 1) / kernels.StreamedTile
	grid := cuda.Grid{Blocks: min(tiles, w.Device.Multiprocessors*plan.PartBlocks)}
	return launch.First(
		w.Device.Fill32(uintptr(w.args.Waiting), 0, bytes/4, w.Stream),
		w.Launcher.Start(launch.Kernel{Name: "streamed_" + name}, grid, &w.args),
		w.Device.CopyOut(w.pinned.Pointer, uintptr(w.args.Waiting), bytes, w.Stream),
		w.counted.Record(w.Stream),
	)
}

// enter places all walkers.
func (w *partWalk) enter() error {
	w.slots.resident(&w.args, -1)
	return launch.First(w.launchPart(partsOf(w.Run).enters()), w.counted.Synchronize())
}

// advance copies parts and advances walkers until all have ended.
func (w *partWalk) advance() error {
	loading := -1 // the slot that was copied to last
	for {
		if err := w.Job.Err(); err != nil {
			return err
		}
		// 1. Choose the part to copy next, and its slot.
		next, left := w.fullest()
		if !left {
			return nil
		}
		slot := -1
		if next >= 0 {
			slot = w.slots.spare(func(slot int) bool { return slot != loading }, func(part int) uint64 { return w.waiting[part] })
		}
		// 2. Advance the walkers in all other slots, once the last copy has arrived.
		any := w.slots.resident(&w.args, slot)
		if any {
			if loading >= 0 {
				if err := w.Stream.Wait(w.slots.slots[loading].loaded); err != nil {
					return err
				}
			}
			if err := w.launchPart(partsOf(w.Run).Kernel); err != nil {
				return err
			}
		}
		// 3. Copy the part meanwhile. No kernel reads the slot, because all earlier ones are complete.
		if loading = slot; next >= 0 {
			if err := w.slots.load(next, slot); err != nil {
				return err
			}
		}
		if any {
			if err := w.counted.Synchronize(); err != nil {
				return err
			}
		}
	}
}

// fullest returns the part for which most walkers wait, of those that are in no slot; -1: there is none. left is whether
// any walker has not ended.
func (w *partWalk) fullest() (part int, left bool) {
	part = -1
	for p, n := range w.waiting {
		left = left || n > 0
		if n > 0 && (part < 0 || n > w.waiting[part]) && !w.slots.has(p) {
			part = p
		}
	}
	return part, left
}

// end frees the slots. After an error it waits for the kernels, which write to pinned memory.
func (w *partWalk) end(err error) error {
	if err != nil {
		_ = w.Stream.Synchronize()
	}
	if w.slots != nil {
		err = launch.First(err, w.slots.end())
	}
	if w.counted != (cuda.Event{}) {
		err = launch.First(err, w.counted.Destroy())
	}
	return launch.First(err, w.Device.Unpin(w.pinned))
}
