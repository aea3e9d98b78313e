package tree

import (
	"gonextdoor/gonextdoor/engine/gpu/internal/launch"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/kernels"
)

// longChoices is the memory of the choices of trees that have more picks than fit the shared memory. Each block makes one
// choice at a time there.
type longChoices struct {
	blocks, leaves int64
	numbers        uint64 // addresses, as in kernels.Tree
	table, sums    uint64
}

// allocate allocates the memory for choices of up to `longest` picks: for as many blocks as the GPU runs at a time, or as fit
// the memory that is meant for them. There is none if longest is 0.
func (l *longChoices) allocate(t *treeRun, longest int) error {
	if longest == 0 {
		return nil
	}
	if t.weighted() {
		l.leaves = launch.LeavesOf(float64(t.maxDegree))
	}
	each, sums := int64(longest)*28, launch.LeafSumWords(l.leaves)*8
	device := t.run.Device
	l.blocks = int64(device.Multiprocessors * plan.RestBlocks * plan.GPUBlock / kernels.ChoiceThreads)
	l.blocks = max(1, min(l.blocks, device.Total/plan.LayeredShare/(each+sums)))
	return t.run.TakeAll(
		launch.Array(&l.numbers, l.blocks*int64(longest)*12), launch.Array(&l.table, l.blocks*int64(longest)*16),
		launch.Array(&l.sums, max(8, l.blocks*sums)),
	)
}

// fill sets the memory of a launch, and returns the number of its blocks.
func (l *longChoices) fill(a *kernels.Tree) int {
	a.LongNumbers, a.LongTable, a.LeafSums, a.Leaves = l.numbers, l.table, l.sums, uint64(l.leaves)
	return int(min(uint64(l.blocks), a.Units))
}
