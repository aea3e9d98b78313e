package cpu

import (
	"slices"

	"gonextdoor/gonextdoor/offheap"
	"gonextdoor/gonextdoor/plan"
)

// nodes are those of one type that a mini-batch has met, by local number.
type nodes struct {
	vertices []uint32
	trees    []uint32 // beside them, where trees are disjoint
}

// met are the nodes of one type and the numbers that they have.
type met struct {
	nodes
	ends    []int // how many nodes there were behind the batch, and behind each hop
	numbers locals
	shared  locals    // the numbers where all seeds share the nodes; nil before the first such batch
	apart   *branches // the numbers where trees are disjoint; nil before the first such batch
}

// begin makes the numbers ready.
func (m *met) begin(disjoint bool, vertices int, sparse bool) (err error) {
	m.vertices, m.trees, m.ends = m.vertices[:0], m.trees[:0], m.ends[:0]
	switch {
	case disjoint && m.apart == nil:
		m.apart, err = newBranches()
	case !disjoint && m.shared == nil:
		m.shared, err = newLocals(vertices, sparse)
	}
	if m.numbers = m.shared; disjoint {
		m.numbers = m.apart
	}
	return err
}

// settle notes where a hop ends.
func (m *met) settle() { m.ends = append(m.ends, len(m.vertices)) }

// fresh gives how many nodes the batch has, then how many each hop met first.
func (m *met) fresh() []int {
	fresh := slices.Clone(m.ends)
	for i := len(fresh) - 1; i > 0; i-- {
		fresh[i] -= fresh[i-1]
	}
	return fresh
}

func (m *met) free() {
	if m.shared != nil {
		m.shared.free()
	}
	if m.apart != nil {
		m.apart.free()
	}
}

// locals numbers the nodes of one type in the order of their first appearance.
type locals interface {
	// gather writes the ends of the edges at positions to v, and asks for what number will read. trees are those of the
	// edges, where they are disjoint.
	gather(indices *uint32, positions []uint64, v []int64, trees []uint32)
	// ask asks for what number will read of ends that were read elsewhere, plan.Lag of them at most.
	ask(v []int64, trees []uint32)
	// number puts local numbers in the place of vertices and appends those that are new.
	number(v []int64, trees []uint32, n *nodes) error
	// reset forgets all numbers; n are the nodes that have one.
	reset(n *nodes)
	free()
}

// newLocals takes stamps while they fit the budget.
func newLocals(vertices int, sparse bool) (locals, error) {
	if sparse || vertices > plan.MaxStamps {
		return newBuckets(), nil
	}
	s, err := offheap.Make[uint32](vertices)
	return &stamps{s}, err
}
