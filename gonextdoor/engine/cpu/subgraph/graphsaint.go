package subgraph

import (
	"unsafe"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/engine/cpu/buffer"
	"gonextdoor/gonextdoor/engine/cpu/stage"
	"gonextdoor/gonextdoor/engine/persample"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/gonextdoor/rng"
	"gonextdoor/gonextdoor/selector"
)

func GraphSAINT(p plan.Plan, g *graph.Graph) (persample.Grow, error) {
	a := p.App.(*app.GraphSAINT)
	var w saintWalks
	return placing(p, g, func(m *placed, key rng.Key, _ []uint32) {
		switch words := app.DrawKey(key); a.Method {
		case app.NodeMethod, app.EdgeMethod:
			biases := a.Biases()
			for i := range a.Budget {
				if i%watched == 0 && m.row.Stopped() {
					break
				}
				at := selector.Search(words.Word(uint64(i)), biases)
				switch {
				case at < 0:
				case a.Method == app.NodeMethod:
					m.meet(uint32(at), graph.NoEdge, -1)
				default:
					m.edge(uint64(at))
				}
			}
		case app.WalkMethod:
			w.walk(m, key, a.Roots, a.Length)
		default:
			m.frontier(a, key)
		}
		m.oneStep()
		m.induce()
	})
}

// watched is how many draws are made between two looks at whether the sample is still wanted.
const watched = 4096

// saintWalks are walks that go in step, so that their waits for memory overlap: column s has step s of all walks.
type saintWalks struct {
	vertices  []uint32
	positions []uint64 // of the edges that led there
}

// walk makes all walks, and meets their vertices one walk behind the other.
func (w *saintWalks) walk(m *placed, key rng.Key, roots, length int) {
	n := uint64(m.g.NumVertices())
	if n == 0 {
		return
	}
	w.positions = buffer.Grow(w.positions[:0], roots*(length+1))[:roots*(length+1)]
	w.vertices = buffer.Grow(w.vertices[:0], len(w.positions))[:len(w.positions)]
	words := app.DrawKey(key)
	for t := range roots {
		v, _ := rng.Below(words.Word(uint64(t)), n)
		w.vertices[t], w.positions[t] = uint32(v), graph.NoEdge
	}
	for s := 1; s <= length && !m.row.Stopped(); s++ {
		now := w.vertices[(s-1)*roots : s*roots]
		w.step(m, key.Stream(uint64(s)), now, w.vertices[s*roots:][:roots], w.positions[s*roots:][:roots])
	}
	for t := range roots {
		place := int32(-1)
		for at := t; at < len(w.vertices) && w.vertices[at] != graph.None; at += roots {
			place = m.meet(w.vertices[at], w.positions[at], place)
		}
	}
}

// step takes all walks on by one step: rows are asked for a block ahead, ends of edges a block before they are read.
func (w *saintWalks) step(m *placed, words rng.Stream, now, next []uint32, positions []uint64) {
	none := uint64(m.g.NumEdges()) // behind the last edge lies None
	indices := unsafe.SliceData(m.g.Indices)
	m.rows.Prefetch(now[:min(plan.Block, len(now))])
	for first := 0; first < len(now)+plan.Block; first += plan.Block {
		if end := min(first+plan.Block, len(now)); first < end {
			m.rows.Prefetch(now[end:min(end+plan.Block, len(now))])
			for t := first; t < end; t++ {
				start, degree := m.rows.Of(now[t])
				i, _ := rng.Below(words.Key(uint64(t)).Word(0), degree)
				if positions[t] = start + i; degree == 0 {
					positions[t] = none
				}
			}
			stage.PrefetchIndices(indices, positions[first:end])
		}
		if before := first - plan.Block; before >= 0 {
			end := min(first, len(now))
			stage.Gather(indices, positions[before:end], &next[before])
		}
	}
}

// frontier is the multi-dimensional walk. The degrees of the frontier lie in a tree of sums.
func (m *placed) frontier(a *app.GraphSAINT, key rng.Key) {
	n := uint64(m.g.NumVertices())
	if n == 0 {
		return
	}
	type waiting struct {
		vertex   uint32
		position uint64
		parent   int32
	}
	words, all := app.DrawKey(key), buffer.Grow[waiting](nil, a.Roots)[:a.Roots]
	degrees := selector.NewSums(a.Roots)
	for i := range all {
		v, _ := rng.Below(words.Word(uint64(i)), n)
		all[i] = waiting{uint32(v), graph.NoEdge, -1}
		m.meet(uint32(v), graph.NoEdge, -1)
		_, degree := m.rows.Of(uint32(v))
		degrees.Add(i, degree)
	}
	for step := 1; step <= a.Budget-a.Roots; step++ {
		if step%watched == 0 && m.row.Stopped() {
			break
		}
		key := key.Stream(uint64(step)).Key(0)
		at := degrees.Scan(key.Word(1))
		if at < 0 {
			break
		}
		from := &all[at]
		place := m.meet(from.vertex, from.position, from.parent)
		first, degree := m.rows.Of(from.vertex)
		i, _ := rng.Below(key.Word(0), degree)
		*from = waiting{m.g.Indices[first+i], first + i, place}
		_, then := m.rows.Of(from.vertex)
		degrees.Add(int(at), then-degree) // modulo 2^64
	}
}
