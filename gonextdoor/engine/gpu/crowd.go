package gpu

import (
	"math/bits"
	"unsafe"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/engine/gpu/resident"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/parallel"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/kernels"
)

// Sizes of kernels/driver/partitionedwalk.cuh.
const (
	crowdPartitions = 256
	crowdStride     = 8
	crowdThreads    = 1024 // of a block
	crowdTile       = 4 * crowdThreads
)

// crowd is walkers in the order of their vertices: see kernels/driver/partitionedwalk.cuh. Nothing is written of where they were.
type crowd struct {
	*run
	args   kernels.PartitionedWalk
	length int
	move   string // the kernel that takes a step, where no visits are counted
	visits string // "", or where visits are counted: behind a kernel's name
	shared int    // bytes of a block where they are counted in shared memory, and for all others
	counts cuda.Memory
	ends   cuda.Memory
}

// CountVisits makes all samples of a batch without their traces. It adds how often each vertex is visited to counts, unless that
// is nil, and writes the last vertex of each sample to ends, unless that is nil. It says whether it did: only walks whose
// choices depend on the present vertex alone are made that way, and only where they are many for the graph's size.
func (e Engine) CountVisits(p plan.Plan, g *graph.Graph, b plan.Batch, counts []int64, ends []uint32, j *job.Job) (done bool, err error) {
	walk, ok := p.App.(*app.DeepWalk)
	rows := b.Roots.Samples()
	if !ok || p.Driver != plan.Walk || b.Roots.Width != 1 || resident.Fits(g, resident.Packed) != nil || !e.crowded(rows, g) {
		return false, nil
	}
	for lo := 0; lo < rows; {
		hi, err := e.crowdPiece(lo, rows)
		if err != nil {
			return false, err
		}
		part := ends
		if ends != nil {
			part = ends[lo:hi]
		}
		if err := e.crowdRows(walk, p, g, b, lo, hi, counts, part, j); err != nil {
			return false, err
		}
		j.Add(int64(hi - lo))
		lo = hi
	}
	return true, nil
}

// crowded says whether so many walkers are worth being ordered.
func (e Engine) crowded(rows int, g *graph.Graph) bool {
	if e.Tuning.CrowdRows > 0 {
		return rows > 0
	}
	return rows >= plan.CrowdRows && rows >= plan.CrowdPerVertex*g.NumVertices()
}

// crowdPiece gives how many rows are walked together from lo on: all that half of the card's free memory has room for.
func (e Engine) crowdPiece(lo, rows int) (hi int, err error) {
	most := e.Tuning.CrowdRows
	if most == 0 {
		err = e.Device.Do(func() error {
			free, _, err := e.Device.Room()
			most = int(min(free/2/24, 1<<31))
			return err
		})
	}
	pieces := max(1, (rows-lo+max(1, most)-1)/max(1, most))
	return lo + (rows-lo+pieces-1)/pieces, err
}

// crowdRows walks the rows [lo, hi).
func (e Engine) crowdRows(
	walk *app.DeepWalk, p plan.Plan, g *graph.Graph, b plan.Batch, lo, hi int, counts []int64, ends []uint32, j *job.Job,
) error {
	return e.Device.Do(func() error {
		r := &run{
			engine: e, device: e.Device, plan: p, graph: g, resident: resident.Of(g, e.Device), batch: b, job: j, rows: hi - lo,
			release: func() {}, result: &Result{Device: e.Device},
		}
		c := &crowd{run: r, length: walk.Length}
		err := c.prepare(walk, lo, hi, counts != nil, ends != nil)
		if err == nil {
			err = c.walk()
		}
		if err == nil {
			err = c.tell(counts, ends)
		}
		return r.give(err)
	})
}

// prepare takes the memory and chooses the kernels.
func (c *crowd) prepare(walk *app.DeepWalk, lo, hi int, counted, ended bool) (err error) {
	if c.stream, err = c.engine.stream(); err != nil {
		return err
	}
	layout := resident.Packed
	c.move = "uniform"
	if walk.Weighted == app.Yes {
		layout, c.move = resident.Packed|resident.Alias, "alias"
	}
	g, release, err := c.resident.Hold(layout, c.stream, c.hands())
	if err != nil {
		return err
	}
	c.run.args.G, c.release = g, release
	if err := c.roots(lo, hi); err != nil {
		return err
	}
	c.args = kernels.PartitionedWalk{G: c.run.args.G, B: c.run.args.B, Walkers: uint64(c.rows)}
	c.args.Shift = uint64(bits.Len64(uint64((c.graph.NumVertices() - 1) / crowdPartitions)))
	c.shared = 8 * crowdTile
	if counted {
		c.visits = "_memory"
		if bytes := 2 << c.args.Shift; bytes <= c.device.SharedPerProcessor/2-crowdReserve {
			c.visits, c.shared = "_shared", max(bytes, c.shared)
		}
	}
	return c.memory(counted, ended)
}

// crowdReserve is what a block has of shared memory beside its counts, and what the driver keeps for each block.
const crowdReserve = 8 << 10

func (c *crowd) memory(counted, ended bool) error {
	a, sizes, firsts := &c.args, 4*int64(crowdPartitions*crowdStride), 4*int64(crowdPartitions+1)
	walkers := 8 * (int64(c.rows) + int64(c.rows)/8 + crowdPartitions*crowdTile)
	for _, m := range []struct {
		at    *uint64
		bytes int64
		zeros bool
	}{
		{&a.WalkersAt, walkers, false}, {&a.ToWalkers, walkers, false}, {&a.Sizes, sizes, true}, {&a.ToSizes, sizes, true},
		{&a.Recounted, sizes, true}, {&a.Firsts, firsts, true}, {&a.ToFirsts, firsts, true}, {&a.Tiles, firsts, true},
		{&a.Overflow, 4, true},
	} {
		taken, err := c.take(m.bytes)
		if err != nil {
			return err
		}
		*m.at = uint64(taken.Address)
		if m.zeros {
			if err := c.device.Fill32(taken.Address, 0, m.bytes/4, c.stream); err != nil {
				return err
			}
		}
	}
	if counted {
		var err error
		bytes := 8 * (int64(crowdPartitions) << a.Shift) // whole partitions
		if c.counts, err = c.take(bytes); err != nil {
			return err
		}
		a.Counts = uint64(c.counts.Address)
		if err := c.device.Fill32(c.counts.Address, 0, bytes/4, c.stream); err != nil {
			return err
		}
	}
	if ended {
		var err error
		if c.ends, err = c.take(4 * int64(c.rows)); err != nil {
			return err
		}
		a.Ends = uint64(c.ends.Address)
	}
	return nil
}

// launch is a kernel with its grid.
type launch struct {
	name   string
	blocks int
	shared int
}

// walk takes all steps.
func (c *crowd) walk() error {
	few := 2 * c.device.Processors // blocks that take tiles by turns
	tiles := (c.rows + crowdTile - 1) / crowdTile
	all := tiles + crowdPartitions // as many as the tiles of all partitions may be
	err := c.launches(launch{"roots", few, 0}, launch{"exact", 1, 0}, launch{"enter", tiles, 8 * crowdTile})
	for s := 0; s < c.length && err == nil; s++ {
		c.turn()
		c.args.Step = uint64(s)
		err = c.launches(
			launch{"place", 1, 0}, launch{c.move + c.visits, all, c.shared},
			launch{c.move + "_recount", few, 0}, launch{"exact", 1, 0}, launch{c.move + "_again", few, 8 * crowdTile},
		)
		if err == nil && s%plan.CrowdTurn == plan.CrowdTurn-1 {
			err = c.stream.Synchronize()
		}
	}
	if err != nil {
		return err
	}
	c.turn()
	last := []launch{{"place", 1, 0}}
	if c.visits != "" {
		last = append(last, launch{"count" + c.visits, all, c.shared})
	}
	if c.ends.Address != 0 {
		last = append(last, launch{"end", all, 0})
	}
	return c.launches(last...)
}

// turn makes where the walkers went where they are.
func (c *crowd) turn() {
	a := &c.args
	a.WalkersAt, a.ToWalkers, a.Sizes, a.ToSizes, a.Firsts, a.ToFirsts = a.ToWalkers, a.WalkersAt, a.ToSizes, a.Sizes, a.ToFirsts, a.Firsts
}

func (c *crowd) launches(list ...launch) error {
	for _, l := range list {
		if err := c.job.Err(); err != nil {
			return err
		}
		f, err := c.function(kernel{image: "partitioned", name: "partitioned_" + l.name})
		if err != nil {
			return err
		}
		grid := cuda.Grid{Blocks: l.blocks, Threads: crowdThreads, Shared: l.shared}
		if err := f.Launch(grid, c.stream, unsafe.Pointer(&c.args), unsafe.Sizeof(c.args)); err != nil {
			return err
		}
	}
	return nil
}

// tell copies what was asked for to the host.
func (c *crowd) tell(counts []int64, ends []uint32) error {
	if ends != nil {
		if err := c.device.CopyOut(unsafe.Pointer(unsafe.SliceData(ends)), c.ends.Address, 4*int64(len(ends)), c.stream); err != nil {
			return err
		}
	}
	if counts == nil {
		return c.stream.Synchronize()
	}
	bytes := 8 * int64(len(counts))
	pinned, err := c.device.Pin(bytes)
	if err != nil {
		return err
	}
	err = first(c.device.CopyOut(pinned.Pointer, c.counts.Address, bytes, c.stream), c.stream.Synchronize())
	if err == nil {
		visits := unsafe.Slice((*int64)(pinned.Pointer), len(counts))
		err = parallel.For(nil, c.batch.Threads, len(counts), plan.CrowdAdd, func(lo, hi int) error {
			for v, n := range visits[lo:hi] { // counts' pages are mostly new: they come faster to several threads
				counts[lo+v] += n
			}
			return nil
		})
	}
	return first(err, c.device.Unpin(pinned))
}
