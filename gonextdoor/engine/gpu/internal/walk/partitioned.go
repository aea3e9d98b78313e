package walk

import (
	"math/bits"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/engine/gpu/internal/launch"
	"gonextdoor/gonextdoor/engine/gpu/resident"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/kernels"
)

// partitionedWalk is a run whose walkers are partitioned by their current vertex before each step, so that a block reads
// rows of one part of the graph. Traces are not stored. kernels/driver/partitionedwalk.cuh describes the algorithm.
type partitionedWalk struct {
	*launch.Run
	args   kernels.PartitionedWalk
	length int
	move   string // the kernel that makes a step without counting visits
	visits string // suffix of the kernels that count visits, "_shared" or "_memory"; "": visits are not counted
	shared int    // bytes of shared memory per block
}

// CountVisits is gpu.Engine.CountVisits for a graph that fits into GPU memory.
func CountVisits(e launch.Engine, p plan.Plan, g *graph.Graph, b plan.Batch, counts *launch.VisitCounts, ends []uint32, j *job.Job) (done bool, err error) {
	walk, ok := p.App.(app.StaticWeights)
	rows := b.Roots.Samples()
	if !ok || p.Driver != app.DriverWalk || walk.Weights() == app.Computed || b.Roots.Width != 1 || resident.Fits(g, resident.Packed) != nil || !worthPartitioning(e, rows, g) {
		return false, nil
	}
	for lo := 0; lo < rows; {
		hi, err := partitionedRange(e, lo, rows)
		if err != nil {
			return false, err
		}
		part := ends
		if ends != nil {
			part = ends[lo:hi]
		}
		if err := walkPartitioned(e, walk, p, g, b, lo, hi, counts, part, j); err != nil {
			return false, err
		}
		j.Add(int64(hi - lo))
		lo = hi
	}
	return true, nil
}

// worthPartitioning reports whether partitioning that many walkers is faster than walking in the order of the samples.
func worthPartitioning(e launch.Engine, rows int, g *graph.Graph) bool {
	if e.Tuning.PartitionedRows > 0 {
		return rows > 0
	}
	return rows >= plan.PartitionedRows && rows >= plan.PartitionedPerVertex*g.NumVertices()
}

// partitionedRange returns the end of the rows that are walked together from lo on: as many as fit half of the GPU's free
// memory, in ranges of about equal size.
func partitionedRange(e launch.Engine, lo, rows int) (hi int, err error) {
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
func walkPartitioned(e launch.Engine,
	walk app.StaticWeights, p plan.Plan, g *graph.Graph, b plan.Batch, lo, hi int, counts *launch.VisitCounts, ends []uint32, j *job.Job,
) error {
	return e.Device.Do(func() error {
		r := launch.NewRun(e, launch.Spec{}, p, g, b, hi-lo, j)
		c := &partitionedWalk{Run: r, length: p.Width - b.Roots.Width}
		err := c.prepare(walk, lo, hi, counts, ends != nil)
		if err == nil {
			err = c.walk()
		}
		if err == nil && ends != nil {
			err = launch.CopyEnds(r, c.args.Ends, ends)
		}
		return r.FreeScratch(err)
	})
}

// prepare uploads the graph and the roots, allocates the memory and chooses the kernels.
func (c *partitionedWalk) prepare(walk app.StaticWeights, lo, hi int, counts *launch.VisitCounts, ended bool) (err error) {
	if err := c.ChooseStream(); err != nil {
		return err
	}
	layout := resident.Packed
	c.move = "uniform"
	if walk.Weights() == app.Yes {
		layout, c.move = resident.Packed|resident.Alias, "alias"
	}
	g, release, err := c.Resident.Hold(layout, c.Stream, c.Options())
	if err != nil {
		return err
	}
	c.Run.Args.G, c.Release = g, release
	if err := c.UploadRoots(lo, hi); err != nil {
		return err
	}
	c.args = kernels.PartitionedWalk{G: c.Run.Args.G, B: c.Run.Args.B, Walkers: uint64(c.Rows)}
	c.args.Shift = PartitionShift(c.Graph)
	c.shared = 8 * kernels.WalkerTileSize
	if counts != nil {
		c.args.Counts, c.visits = uint64(counts.Memory.Address), "_memory"
		if bytes := 2 << c.args.Shift; bytes <= c.Device.SharedPerMultiprocessor/2-partitionReserve {
			c.visits, c.shared = "_shared", max(bytes, c.shared)
		}
	}
	return c.allocate(ended)
}

// PartitionShift returns the number of low bits of vertices that share a partition.
func PartitionShift(g *graph.Graph) uint64 {
	return uint64(bits.Len64(uint64((g.NumVertices() - 1) / kernels.MostPartitions)))
}

// partitionReserve is the shared memory, in bytes, that a block needs beside its counts and that the driver keeps per block.
const partitionReserve = 8 << 10

// allocate allocates the walkers, the partitions' sizes and the ends.
func (c *partitionedWalk) allocate(ended bool) error {
	a, sizes, firsts := &c.args, 4*int64(kernels.MostPartitions*kernels.SizeStride), 4*int64(kernels.MostPartitions+1)
	walkers := 8 * (int64(c.Rows) + int64(c.Rows)/8 + kernels.MostPartitions*kernels.WalkerTileSize)
	err := c.TakeAll(
		launch.Array(&a.WalkersAt, walkers), launch.Array(&a.ToWalkers, walkers), launch.Zeros(&a.Sizes, sizes),
		launch.Zeros(&a.ToSizes, sizes), launch.Zeros(&a.Recounted, sizes), launch.Zeros(&a.Firsts, firsts),
		launch.Zeros(&a.ToFirsts, firsts), launch.Zeros(&a.Tiles, firsts), launch.Zeros(&a.Overflow, 4),
	)
	if err == nil && ended {
		err = c.TakeAll(launch.Array(&a.Ends, 4*int64(c.Rows)))
	}
	return err
}

// kernelLaunch is a kernel with its grid.
type kernelLaunch struct {
	name   string
	blocks int
	shared int
}

// walk makes all steps.
func (c *partitionedWalk) walk() error {
	few := 2 * c.Device.Multiprocessors // blocks of kernels that loop over the tiles
	tiles := (c.Rows + kernels.WalkerTileSize - 1) / kernels.WalkerTileSize
	all := tiles + kernels.MostPartitions // upper bound of the tiles, because the last tile of a partition may be incomplete
	// 1. Count the roots per partition and enter the walkers.
	err := c.launches(kernelLaunch{"roots", few, 0}, kernelLaunch{"exact", 1, 0}, kernelLaunch{"enter", tiles, 8 * kernels.WalkerTileSize})
	// 2. Make the steps. If a partition overflows, the last three kernels count the walkers and repeat the step; otherwise
	// they end at once.
	for s := 0; s < c.length && err == nil; s++ {
		c.swap()
		c.args.Step = uint64(s)
		err = c.launches(
			kernelLaunch{"place", 1, 0}, kernelLaunch{c.move + c.visits, all, c.shared},
			kernelLaunch{c.move + "_recount", few, 0}, kernelLaunch{"exact", 1, 0}, kernelLaunch{c.move + "_again", few, 8 * kernels.WalkerTileSize},
		)
		if err == nil && s%plan.PartitionedCheck == plan.PartitionedCheck-1 {
			err = c.Stream.Synchronize()
		}
	}
	if err != nil {
		return err
	}
	// 3. Count the last vertices and write the ends.
	c.swap()
	last := []kernelLaunch{{"place", 1, 0}}
	if c.visits != "" {
		last = append(last, kernelLaunch{"count" + c.visits, all, c.shared})
	}
	if c.args.Ends != 0 {
		last = append(last, kernelLaunch{"end", all, 0})
	}
	return c.launches(last...)
}

// swap exchanges the arrays that a step reads and those that it writes.
func (c *partitionedWalk) swap() {
	a := &c.args
	a.WalkersAt, a.ToWalkers, a.Sizes, a.ToSizes, a.Firsts, a.ToFirsts = a.ToWalkers, a.WalkersAt, a.ToSizes, a.Sizes, a.ToFirsts, a.Firsts
}

// launches starts kernels in order.
func (c *partitionedWalk) launches(list ...kernelLaunch) error {
	for _, l := range list {
		if err := c.Job.Err(); err != nil {
			return err
		}
		k := launch.Kernel{Name: "partitioned_" + l.name}
		if err := c.Run.Launcher.Start(k, cuda.Grid{Blocks: l.blocks, Shared: l.shared}, &c.args); err != nil {
			return err
		}
	}
	return nil
}
