package layered

import (
	"gonextdoor/gonextdoor/engine/gpu/internal/launch"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/kernels"
)

// chooseGrid has all blocks of a launch make each sample together, if the app has a kernel for that, and there are few samples
// and large ones. Otherwise a block or a warp makes a sample.
func (l *layeredRun) chooseGrid() error {
	k, forced := l.Kernel, l.Engine.Tuning.LayeredGrid
	if k.Grid == "" || !l.Device.Cooperative || forced < 0 || !l.gridPays() && forced == 0 {
		return nil
	}
	k.Name, k.Lanes = k.Grid, kernels.LayeredThreads
	f, err := l.Launcher.Function(k)
	if err != nil {
		return err
	}
	blocks, err := f.Blocks(f.Block(), 0)
	if err != nil {
		return err
	}
	l.Kernel, l.gridBlocks = k, min(blocks, l.Device.Multiprocessors) // more blocks make barriers slower
	if forced > 0 {
		l.gridBlocks = min(blocks, forced)
	}
	return nil
}

// gridPays reports whether all samples by the whole grid, one after the other, take less time than one by a block.
func (l *layeredRun) gridPays() bool {
	picks, operations := plan.SerialPick*l.spec.serial, l.expected.Operations
	return float64(l.Rows)*(plan.GridStart+picks+plan.GridOperation*operations) < picks+plan.BlockOperation*operations
}

// groupThreads returns the number of threads that make a sample together.
func (l *layeredRun) groupThreads() int64 { return int64(l.Kernel.Lanes) * int64(max(1, l.gridBlocks)) }

// countGroups returns the number of groups for some rows, with workspaces of `each` bytes: as many as the GPU runs at a time, or
// as there are rows, or as fit the memory that is meant for them.
func (l *layeredRun) countGroups(rows int, each int64) (int64, error) {
	if l.gridBlocks > 0 {
		return 1, nil
	}
	k := l.Kernel
	f, err := l.Launcher.Function(k)
	if err != nil {
		return 0, err
	}
	blocks, err := f.Blocks(f.Block(), 0)
	if err != nil {
		return 0, err
	}
	perBlock := int64(f.Block() / k.Lanes)
	most := max(1, l.Device.Total/plan.LayeredShare/(each*perBlock))
	return perBlock * max(1, min(int64(blocks), most, (int64(rows)+perBlock-1)/perBlock)), nil
}

// gridMemory returns the memory of a grid: Grid::words of kernels/core/grid.cuh. It may be empty. The kernel has it in place of
// the array of transits, which apps with a kernel for grids do not use.
func (l *layeredRun) gridMemory() []launch.Buffer {
	if l.gridBlocks == 0 {
		return nil
	}
	words := 1 + 2*int64(l.gridBlocks) + 2*l.groupThreads()
	return []launch.Buffer{launch.Zeros(&l.args.Starts, 8*words)}
}

// start starts the kernel for the rows of its parameter.
func (l *layeredRun) start(argument any) error {
	if l.gridBlocks > 0 {
		return l.Launcher.Together(l.Kernel, l.gridBlocks, argument)
	}
	return l.Launcher.Threads(l.Kernel, l.groups*int64(l.Kernel.Lanes), argument)
}

// leaves returns the number of leaves of a workspace.
func (l *layeredRun) leaves() int64 {
	if t := l.Engine.Tuning.LayeredCapacity; t > 0 {
		return min(l.spec.leaves, kernels.WarpSize*int64(t))
	}
	return l.spec.leaves
}
