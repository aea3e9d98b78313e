package neighbor

import (
	"slices"

	"gonextdoor/gonextdoor/engine/cpu/idmap"
)

// met are the nodes of one type and the numbers that they have.
type met struct {
	idmap.Nodes
	ends    []int // how many nodes there were behind the batch, and behind each hop
	numbers idmap.Numberer
	shared  idmap.Numberer  // the numbers where all seeds share the nodes; nil before the first such batch
	apart   *idmap.Disjoint // the numbers where trees are disjoint; nil before the first such batch
}

// begin makes the numbers ready.
func (m *met) begin(disjoint bool, vertices int, sparse bool) (err error) {
	m.Vertices, m.Trees, m.ends = m.Vertices[:0], m.Trees[:0], m.ends[:0]
	switch {
	case disjoint && m.apart == nil:
		m.apart, err = idmap.NewDisjoint()
	case !disjoint && m.shared == nil:
		m.shared, err = idmap.New(vertices, sparse)
	}
	if m.numbers = m.shared; disjoint {
		m.numbers = m.apart
	}
	return err
}

// settle notes where a hop ends.
func (m *met) settle() { m.ends = append(m.ends, len(m.Vertices)) }

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
		m.shared.Free()
	}
	if m.apart != nil {
		m.apart.Free()
	}
}
