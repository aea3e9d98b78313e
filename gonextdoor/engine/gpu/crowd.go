package gpu

import (
	"math/bits"
	"unsafe"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/engine/gpu/resident"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/kernels"
)

// Sizes of kernels/driver/crowd.cuh.
const (
	crowdPartitions = 256
	crowdBins       = crowdPartitions + 1
	crowdStride     = 8
	crowdSplit      = 512 // threads of a block that splits
	crowdTile       = 16 * crowdSplit
	crowdStep       = 1024 // threads of a block that steps
)

// crowd is walkers in the order of their vertices: see kernels/driver/crowd.cuh. Nothing is written of where they were.
type crowd struct {
	*run
	args   kernels.Crowd
	length int
	step   kernel
	count  kernel
	shared int // bytes of a block where visits are counted in shared memory
	counts cuda.Memory
	ends   cuda.Memory
}

// Crowd makes all samples of a batch without their traces. It adds how often each vertex is visited to counts, unless that
// is nil, and writes the last vertex of each sample to ends, unless that is nil. It says whether it did: only walks whose
// choices depend on the present vertex alone are made that way, and only where they are many for the graph's size.
func (e Engine) Crowd(p plan.Plan, g *graph.Graph, b plan.Batch, counts []int64, ends []uint32, j *job.Job) (done bool, err error) {
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
			most = int(min(free/2/(5*4), 1<<31))
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
	layout, name := resident.Packed, "crowd_uniform"
	if walk.Weighted == app.Yes {
		layout, name = resident.Packed|resident.Alias, "crowd_alias"
	}
	if c.run.args.G, c.release, err = c.resident.Hold(layout, c.stream, c.hands()); err != nil {
		return err
	}
	if err := c.roots(lo, hi); err != nil {
		return err
	}
	vertices := c.graph.NumVertices()
	c.args = kernels.Crowd{G: c.run.args.G, B: c.run.args.B, Walkers: uint64(c.rows)}
	c.args.Shift = uint64(bits.Len64(uint64((vertices - 1) / crowdPartitions)))
	c.args.Tile = uint64(c.tile(counted))
	in := ""
	if counted {
		in, c.shared = "_shared", max(16, 2<<c.args.Shift)
		if c.shared > c.device.SharedPerProcessor/2-crowdReserve {
			in, c.shared = "_memory", 0
		}
	}
	c.step, c.count = kernel{image: "crowd", name: name + in}, kernel{image: "crowd", name: "crowd_count" + in}
	return c.memory(counted, ended)
}

// crowdReserve is what a block has of shared memory beside its counts, and what the driver keeps for each block.
const crowdReserve = 4 << 10

// tile gives how many walkers a block steps with.
func (c *crowd) tile(counted bool) int {
	if t := c.engine.Tuning.CrowdTile; t > 0 {
		return t
	}
	if counted && c.rows >= plan.CrowdDense*c.graph.NumVertices() {
		return 2 * plan.CrowdTile
	}
	return plan.CrowdTile
}

func (c *crowd) memory(counted, ended bool) error {
	a, walkers := &c.args, 4*int64(c.rows)
	for _, m := range []struct {
		at    *uint64
		bytes int64
	}{
		{&a.Vertices, walkers}, {&a.Rows, walkers}, {&a.ToVertices, walkers}, {&a.ToRows, walkers},
		{&a.Sizes, 4 * crowdBins * crowdStride}, {&a.Cursors, 4 * crowdBins * crowdStride},
		{&a.Firsts, 4 * (crowdBins + 1)}, {&a.Tiles, 4 * (crowdBins + 1)},
	} {
		taken, err := c.take(m.bytes)
		if err != nil {
			return err
		}
		*m.at = uint64(taken.Address)
	}
	if err := c.device.Fill32(uintptr(a.Sizes), 0, crowdBins*crowdStride, c.stream); err != nil {
		return err
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
		if c.ends, err = c.take(walkers); err != nil {
			return err
		}
		a.Ends = uint64(c.ends.Address)
	}
	return nil
}

// walk takes all steps.
func (c *crowd) walk() error {
	all := min((c.rows+crowdStep-1)/crowdStep, 4*c.device.Processors)
	if err := c.start("crowd_begin", all, crowdStep, 0); err != nil {
		return err
	}
	for s := range c.length {
		c.args.Step = uint64(s)
		if err := c.order(); err != nil {
			return err
		}
		if err := c.start(c.step.name, c.spans(), crowdStep, c.shared); err != nil {
			return err
		}
		if s%plan.CrowdTurn == plan.CrowdTurn-1 {
			if err := c.stream.Synchronize(); err != nil {
				return err
			}
		}
	}
	if c.counts.Address != 0 {
		if err := c.order(); err != nil {
			return err
		}
		if err := c.start(c.count.name, c.spans(), crowdStep, c.shared); err != nil {
			return err
		}
	}
	if c.ends.Address != 0 {
		return c.start("crowd_end", min((c.rows+plan.GPUBlock-1)/plan.GPUBlock, 32*c.device.Processors), plan.GPUBlock, 0)
	}
	return nil
}

// spans is how many blocks the tiles of all partitions may be.
func (c *crowd) spans() int {
	return int((uint64(c.rows)+c.args.Tile-1)/c.args.Tile) + crowdPartitions
}

// order splits the walkers by the partitions of their vertices.
func (c *crowd) order() error {
	if err := c.start("crowd_place", 1, crowdSplit, 0); err != nil {
		return err
	}
	err := c.start("crowd_split", (c.rows+crowdTile-1)/crowdTile, crowdSplit, 2*4*crowdTile)
	a := &c.args
	a.Vertices, a.ToVertices, a.Rows, a.ToRows = a.ToVertices, a.Vertices, a.ToRows, a.Rows
	return err
}

func (c *crowd) start(name string, blocks, threads, shared int) error {
	if err := c.job.Err(); err != nil {
		return err
	}
	f, err := c.function(kernel{image: "crowd", name: name})
	if err != nil {
		return err
	}
	grid := cuda.Grid{Blocks: blocks, Threads: threads, Shared: shared}
	return f.Launch(grid, c.stream, unsafe.Pointer(&c.args), unsafe.Sizeof(c.args))
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
		for v, n := range unsafe.Slice((*int64)(pinned.Pointer), len(counts)) {
			counts[v] += n
		}
	}
	return first(err, c.device.Unpin(pinned))
}
