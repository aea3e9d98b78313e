package tree

import (
	"math/bits"
	"strings"

	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/engine/gpu/internal/launch"
	"gonextdoor/gonextdoor/engine/gpu/internal/walk"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/gonextdoor/refuse"
	"gonextdoor/kernels"
)

// transitTile is the number of transits of a block that sorts them, as many as it has walkers in partitionedwalk.cuh.
const transitTile = kernels.WalkerTileSize

// transitOrder is the memory of steps in transit order: for one launch, and reused by the next. kernels/driver/transit.cuh
// describes the algorithm.
type transitOrder struct {
	args kernels.TransitOrder
}

// sorted reports whether the transits of a step are sorted by vertex, for which there must be memory. transits is their number
// in a row.
func (t *treeRun) sorted(step, transits int) bool {
	return t.orders[step] == plan.TransitOrder && t.sortedRows(transits, t.fanouts[step]) > 0
}

// across returns the base 2 logarithm of the number of rows whose transits have adjacent numbers: as many as make writes to
// the result fast, or few, so that there is memory for as many rows.
func (t *treeRun) across(fanout int) int {
	if t.parts == nil && t.step(fanout).few {
		return plan.TransitRows
	}
	return bits.Len(kernels.WarpSize) - 1
}

// numbers returns how many numbers the transits of some rows have.
func (t *treeRun) numbers(rows, transits, fanout int) int64 {
	across := t.across(fanout)
	return int64(rows+1<<across-1) >> across << across * int64(transits)
}

// stagedBytes returns the memory per transit: the transit in the list, and its picks.
func (t *treeRun) stagedBytes(fanout int) int64 {
	bytes := 8 + 4*int64(fanout)
	if t.run.Batch.Edges {
		bytes += 8 * int64(fanout)
	}
	return bytes
}

// sortedRows returns the largest number of a row's transits that a launch sorts, or 0 if there is no memory for one.
func (t *treeRun) sortedRows(transits, fanout int) int {
	most := min(t.run.Device.Total/plan.TransitShare/t.stagedBytes(fanout), 1<<31-transitTile)
	return min(transits, t.transits(fanout), int(most/t.numbers(t.rows, 1, fanout)))
}

// allocateOrder allocates the memory of the steps in transit order. If the GPU has too little, all steps are in sample order.
func (t *treeRun) allocateOrder() error {
	held := len(t.run.Held)
	err := t.takeOrder()
	if err == nil || t.parts != nil || refuse.KindOf(err) != refuse.KindDevice {
		return err
	}
	for i := range t.orders {
		t.orders[i] = plan.SampleOrder
	}
	for _, m := range t.run.Held[held:] {
		if err := t.run.Device.Free(m, t.run.Stream); err != nil {
			return err
		}
	}
	t.run.Held = t.run.Held[:held]
	return nil
}

// takeOrder takes the memory of the largest launch in transit order, if there is one.
func (t *treeRun) takeOrder() error {
	count, ends := int64(0), int64(0)
	transits := t.run.Batch.Roots.Width
	for i, f := range t.fanouts {
		if t.sorted(i, transits) {
			n := t.numbers(t.rows, t.sortedRows(transits, f), f)
			count, ends = max(count, n), max(ends, n*int64(f))
		}
		transits *= f
	}
	if count == 0 {
		return nil
	}
	o := &transitOrder{}
	p, sizes, firsts := &o.args.P, 4*int64(kernels.MostPartitions*kernels.SizeStride), 4*int64(kernels.MostPartitions+1)
	tiles := (count + transitTile - 1) / transitTile
	p.Shift = walk.PartitionShift(t.run.Graph)
	err := t.run.TakeAll(
		launch.Array(&p.ToWalkers, 8*count), launch.Zeros(&p.ToSizes, sizes), launch.Zeros(&p.Recounted, sizes),
		launch.Zeros(&p.ToFirsts, firsts), launch.Zeros(&p.Overflow, 4), launch.Array(&o.args.Tiles, 8*kernels.MostPartitions*tiles),
		launch.Array(&o.args.T.Ends, 4*ends),
	)
	if err == nil && t.run.Batch.Edges {
		err = t.run.TakeAll(launch.Array(&o.args.T.EndEdges, 8*ends))
	}
	t.order = o
	return err
}

// launchSorted makes the picks of a range of transits in transit order.
func (t *treeRun) launchSorted(a kernels.Tree, s treeStep) error {
	o := &t.order.args
	count := t.numbers(int(a.B.Rows-a.B.From), int(a.End-a.Begin), int(a.Fanout))
	// 1. Sort the transits.
	a.Sorted, a.SortedBegin, a.SortedEnd = o.P.ToWalkers, o.P.ToFirsts, o.P.ToFirsts+4*kernels.MostPartitions
	a.RowBegin, a.RowEnd = 0, uint64(t.run.Graph.NumVertices())
	a.Ends, a.EndEdges, a.EndsStride = o.T.Ends, o.T.EndEdges, uint64(count)
	a.Pieces, a.Share, a.Across = 1, a.Fanout, uint64(t.across(int(a.Fanout)))
	if s.few {
		s.workers = kernels.FewTransits
		if strings.HasSuffix(s.kernel.Name, "_plain") {
			s.picks *= 2 // positions of 64 bits
		}
	}
	a.Units = uint64((count + int64(s.workers) - 1) / int64(s.workers))
	args := kernels.TransitOrder{T: a, P: o.P, Tiles: o.Tiles, Count: uint64(count)}
	tiles := int((count + transitTile - 1) / transitTile)
	few := min(tiles, 2*t.run.Device.Multiprocessors)
	if err := t.startOrder("transit_count", few, 0, &args); err != nil {
		return err
	}
	err := t.run.Launcher.Start(launch.Kernel{Name: "partitioned_exact"}, cuda.Grid{Blocks: 1}, &args.P)
	if err == nil {
		err = t.startOrder("transit_sort", tiles, 8*transitTile, &args)
	}
	// 2. Make the picks.
	if err == nil {
		s.kernel.Name = "transit_" + strings.TrimPrefix(s.kernel.Name, "tree_")
		s.rest = strings.Replace(s.rest, "tree_", "transit_", 1)
		err = t.sortedPicks(a, s)
	}
	// 3. Write them to the result.
	if err != nil {
		return err
	}
	write := "transit_write"
	if s.few {
		write = "transit_write_few"
	}
	return t.startOrder(write, tiles, 4*transitTile, &args)
}

// sortedPicks makes the picks of the sorted transits.
func (t *treeRun) sortedPicks(a kernels.Tree, s treeStep) error {
	if t.parts != nil {
		return t.picksInParts(a, s)
	}
	return t.picks(&a, s)
}

// startOrder starts a kernel of the transit order.
func (t *treeRun) startOrder(name string, blocks, shared int, a *kernels.TransitOrder) error {
	return t.run.Launcher.Start(launch.Kernel{Name: name}, cuda.Grid{Blocks: blocks, Shared: shared}, a)
}
