package gpu

import (
	"math/bits"
	"unsafe"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/engine/gpu/resident"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/output/view"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/kernels"
)

// Sizes of kernels/driver/partitionedwalk.cuh.
const (
	partitions       = 256
	partitionStride  = 8
	partitionThreads = 1024 // of a block
	partitionTile    = 4 * partitionThreads
)

// partitionedWalk is a run whose walkers are partitioned by their current vertex before each step, so that a block reads
// rows of one part of the graph. Traces are not stored. kernels/driver/partitionedwalk.cuh describes the algorithm.
type partitionedWalk struct {
	*run
	args   kernels.PartitionedWalk
	length int
	move   string // the kernel that makes a step without counting visits
	visits string // suffix of the kernels that count visits, "_shared" or "_memory"; "": visits are not counted
	shared int    // bytes of shared memory per block
}

// CountVisits makes all samples of a batch without storing their traces. It adds how often each vertex is visited to counts
// and writes the last vertex of each sample to ends; either may be nil. It returns false, without having done anything,
// unless the choices depend on the present vertex alone and there are many walkers for the graph's size, or the graph does not
// fit into GPU memory.
func (e Engine) CountVisits(p plan.Plan, g *graph.Graph, b plan.Batch, counts []int64, ends []uint32, j *job.Job) (done bool, err error) {
	if spec, err := e.compiled(p); err == nil && b.Roots.Width == 1 && e.inParts(spec, g, false) {
		return e.countInParts(spec, p, g, b, counts, ends, j)
	}
	walk, ok := p.App.(app.StaticWeights)
	rows := b.Roots.Samples()
	if !ok || p.Driver != app.DriverWalk || b.Roots.Width != 1 || resident.Fits(g, resident.Packed) != nil || !e.worthPartitioning(rows, g) {
		return false, nil
	}
	for lo := 0; lo < rows; {
		hi, err := e.partitionedRange(lo, rows)
		if err != nil {
			return false, err
		}
		part := ends
		if ends != nil {
			part = ends[lo:hi]
		}
		if err := e.walkPartitioned(walk, p, g, b, lo, hi, counts, part, j); err != nil {
			return false, err
		}
		j.Add(int64(hi - lo))
		lo = hi
	}
	return true, nil
}

// worthPartitioning reports whether partitioning that many walkers is faster than walking in the order of the samples.
func (e Engine) worthPartitioning(rows int, g *graph.Graph) bool {
	if e.Tuning.PartitionedRows > 0 {
		return rows > 0
	}
	return rows >= plan.PartitionedRows && rows >= plan.PartitionedPerVertex*g.NumVertices()
}

// partitionedRange returns the end of the rows that are walked together from lo on: as many as fit half of the GPU's free
// memory, in ranges of about equal size.
func (e Engine) partitionedRange(lo, rows int) (hi int, err error) {
	most := e.Tuning.PartitionedRows
	if most == 0 {
		err = e.Device.Do(func() error {
			free, _, err := e.Device.FreeMemory()
			most = int(min(free/2/24, 1<<31))
			return err
		})
	}
	pieces := max(1, (rows-lo+max(1, most)-1)/max(1, most))
	return lo + (rows-lo+pieces-1)/pieces, err
}

// walkPartitioned makes the walks of the rows [lo, hi).
func (e Engine) walkPartitioned(
	walk app.StaticWeights, p plan.Plan, g *graph.Graph, b plan.Batch, lo, hi int, counts []int64, ends []uint32, j *job.Job,
) error {
	return e.Device.Do(func() error {
		r := e.newRun(p, g, b, hi-lo, j)
		c := &partitionedWalk{run: r, length: p.Width - b.Roots.Width}
		err := c.prepare(walk, lo, hi, counts != nil, ends != nil)
		if err == nil {
			err = c.walk()
		}
		if err == nil {
			err = c.copyVisits(c.args.Counts, c.args.Ends, counts, ends)
		}
		return r.freeScratch(err)
	})
}

// prepare uploads the graph and the roots, allocates the memory and chooses the kernels.
func (c *partitionedWalk) prepare(walk app.StaticWeights, lo, hi int, counted, ended bool) (err error) {
	if err := c.chooseStream(); err != nil {
		return err
	}
	layout := resident.Packed
	c.move = "uniform"
	if walk.Weights() == app.Yes {
		layout, c.move = resident.Packed|resident.Alias, "alias"
	}
	g, release, err := c.resident.Hold(layout, c.stream, c.options())
	if err != nil {
		return err
	}
	c.run.args.G, c.release = g, release
	if err := c.uploadRoots(lo, hi); err != nil {
		return err
	}
	c.args = kernels.PartitionedWalk{G: c.run.args.G, B: c.run.args.B, Walkers: uint64(c.rows)}
	c.args.Shift = partitionShift(c.graph)
	c.shared = 8 * partitionTile
	if counted {
		c.visits = "_memory"
		if bytes := 2 << c.args.Shift; bytes <= c.device.SharedPerMultiprocessor/2-partitionReserve {
			c.visits, c.shared = "_shared", max(bytes, c.shared)
		}
	}
	return c.allocate(counted, ended)
}

// partitionShift returns the number of low bits of vertices that share a partition.
func partitionShift(g *graph.Graph) uint64 {
	return uint64(bits.Len64(uint64((g.NumVertices() - 1) / partitions)))
}

// partitionReserve is the shared memory, in bytes, that a block needs beside its counts and that the driver keeps per block.
const partitionReserve = 8 << 10

// allocate allocates the walkers, the partitions' sizes and the results.
func (c *partitionedWalk) allocate(counted, ended bool) error {
	a, sizes, firsts := &c.args, 4*int64(partitions*partitionStride), 4*int64(partitions+1)
	walkers := 8 * (int64(c.rows) + int64(c.rows)/8 + partitions*partitionTile)
	err := c.takeAll(
		buffer{&a.WalkersAt, walkers, false}, buffer{&a.ToWalkers, walkers, false}, buffer{&a.Sizes, sizes, true},
		buffer{&a.ToSizes, sizes, true}, buffer{&a.Recounted, sizes, true}, buffer{&a.Firsts, firsts, true},
		buffer{&a.ToFirsts, firsts, true}, buffer{&a.Tiles, firsts, true}, buffer{&a.Overflow, 4, true},
	)
	if err == nil && counted {
		err = c.takeAll(buffer{&a.Counts, 8 * (int64(partitions) << a.Shift), true}) // whole partitions
	}
	if err == nil && ended {
		err = c.takeAll(buffer{&a.Ends, 4 * int64(c.rows), false})
	}
	return err
}

// launch is a kernel with its grid.
type launch struct {
	name   string
	blocks int
	shared int
}

// walk makes all steps.
func (c *partitionedWalk) walk() error {
	few := 2 * c.device.Multiprocessors // blocks of kernels that loop over the tiles
	tiles := (c.rows + partitionTile - 1) / partitionTile
	all := tiles + partitions // upper bound of the tiles, because the last tile of a partition may be incomplete
	// 1. Count the roots per partition and enter the walkers.
	err := c.launches(launch{"roots", few, 0}, launch{"exact", 1, 0}, launch{"enter", tiles, 8 * partitionTile})
	// 2. Make the steps. If a partition overflows, the last three kernels count the walkers and repeat the step; otherwise
	// they end at once.
	for s := 0; s < c.length && err == nil; s++ {
		c.swap()
		c.args.Step = uint64(s)
		err = c.launches(
			launch{"place", 1, 0}, launch{c.move + c.visits, all, c.shared},
			launch{c.move + "_recount", few, 0}, launch{"exact", 1, 0}, launch{c.move + "_again", few, 8 * partitionTile},
		)
		if err == nil && s%plan.PartitionedCheck == plan.PartitionedCheck-1 {
			err = c.stream.Synchronize()
		}
	}
	if err != nil {
		return err
	}
	// 3. Count the last vertices and write the ends.
	c.swap()
	last := []launch{{"place", 1, 0}}
	if c.visits != "" {
		last = append(last, launch{"count" + c.visits, all, c.shared})
	}
	if c.args.Ends != 0 {
		last = append(last, launch{"end", all, 0})
	}
	return c.launches(last...)
}

// swap exchanges the arrays that a step reads and those that it writes.
func (c *partitionedWalk) swap() {
	a := &c.args
	a.WalkersAt, a.ToWalkers, a.Sizes, a.ToSizes, a.Firsts, a.ToFirsts = a.ToWalkers, a.WalkersAt, a.ToSizes, a.Sizes, a.ToFirsts, a.Firsts
}

// launches starts kernels in order.
func (c *partitionedWalk) launches(list ...launch) error {
	for _, l := range list {
		if err := c.job.Err(); err != nil {
			return err
		}
		f, err := c.run.launcher.function(kernel{image: "partitioned", name: "partitioned_" + l.name})
		if err != nil {
			return err
		}
		grid := cuda.Grid{Blocks: l.blocks, Threads: partitionThreads, Shared: l.shared}
		if err := f.Launch(grid, c.stream, unsafe.Pointer(&c.args), unsafe.Sizeof(c.args)); err != nil {
			return err
		}
	}
	return nil
}

// copyVisits adds the visits at an address to counts, and copies the last vertices at another address to ends. Either slice
// may be nil.
func (r *run) copyVisits(countsAt, endsAt uint64, counts []int64, ends []uint32) error {
	if err := fetch(&r.scratch, endsAt, ends); err != nil {
		return err
	}
	if counts == nil {
		return r.stream.Synchronize()
	}
	bytes := 8 * int64(len(counts))
	pinned, err := r.device.Pin(bytes)
	if err != nil {
		return err
	}
	err = first(r.device.CopyOut(pinned.Pointer, uintptr(countsAt), bytes, r.stream), r.stream.Synchronize())
	if err == nil {
		visits := unsafe.Slice((*int64)(pinned.Pointer), len(counts))
		err = view.AddCounts(visits, counts, r.batch.Threads)
	}
	return first(err, r.device.Unpin(pinned))
}
