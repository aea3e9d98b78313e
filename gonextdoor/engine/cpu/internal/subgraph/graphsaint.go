package subgraph

import (
	"unsafe"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/engine/cpu/internal/buffer"
	"gonextdoor/gonextdoor/engine/cpu/stage"
	"gonextdoor/gonextdoor/engine/persample"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/gonextdoor/rng"
	"gonextdoor/gonextdoor/selector"
)

// GraphSAINT returns a grower of the samples of an app.InducedDrawer: vertices by one of four methods, and the induced
// edges.
func GraphSAINT(p plan.Plan, g *graph.Graph) (persample.Grow, error) {
	draws := p.App.(app.InducedDrawer).InducedDraws()
	var w saintWalks
	return buildWith(p, g, func(m *builder, key rng.Key, _ []uint32) {
		switch draws.Method {
		case app.NodeMethod, app.EdgeMethod:
			m.search(draws, key)
		case app.WalkMethod:
			w.walk(m, key, draws.Roots, draws.Length)
		default:
			m.frontier(draws, key)
		}
		m.endInduced(p)
	})
}

// drawsPerPoll is the number of draws between two checks for cancellation.
const drawsPerPoll = 4096

// search visits vertices, or the ends of edges, drawn in proportion to the biases. A draw costs a binary search.
func (m *builder) search(draws app.InducedDraws, key rng.Key) {
	words := app.DrawKey(key)
	for i := range draws.Budget {
		if i%drawsPerPoll == 0 && m.row.Stopped() {
			break
		}
		at := selector.Search(words.Word(uint64(i)), draws.Biases)
		switch {
		case at < 0:
		case draws.Method == app.NodeMethod:
			m.visit(uint32(at), graph.NoEdge, -1)
		default:
			m.visitEdge(uint64(at))
		}
	}
}

// saintWalks are the random walks of one sample. They advance in step, so that their cache misses overlap. The arrays are
// stored by step: element s*roots+t is step s of walk t.
type saintWalks struct {
	vertices  []uint32
	positions []uint64 // of the edges that led to vertices
	ahead     []uint64 // places to prefetch
}

// walk makes all walks and visits their vertices, walk after walk.
func (w *saintWalks) walk(m *builder, key rng.Key, roots, length int) {
	n := uint64(m.g.NumVertices())
	if n == 0 {
		return
	}
	w.positions = buffer.Grow(w.positions[:0], roots*(length+1))[:roots*(length+1)]
	w.vertices = buffer.Grow(w.vertices[:0], len(w.positions))[:len(w.positions)]
	// 1. Draw the roots uniformly.
	words := app.DrawKey(key)
	for t := range roots {
		v, _ := rng.Below(words.Word(uint64(t)), n)
		w.vertices[t], w.positions[t] = uint32(v), graph.NoEdge
	}
	// 2. Take the steps.
	for s := 1; s <= length && !m.row.Stopped(); s++ {
		now := w.vertices[(s-1)*roots : s*roots]
		w.step(m, key.Stream(uint64(s)), now, w.vertices[s*roots:][:roots], w.positions[s*roots:][:roots])
	}
	// 3. Visit the vertices. A walk ends at the first None.
	for t := range roots {
		if t%plan.Block == 0 {
			w.prefetchPlaces(m, t+plan.Block, roots, length)
		}
		place := int32(-1)
		for at := t; at < len(w.vertices) && w.vertices[at] != graph.None; at += roots {
			place = m.visit(w.vertices[at], w.positions[at], place)
		}
	}
}

// prefetchPlaces prefetches the places of the vertices of a block of walks that begins at walk first.
func (w *saintWalks) prefetchPlaces(m *builder, first, roots, length int) {
	for s, end := 0, min(first+plan.Block, roots); s <= length && first < end; s++ {
		w.ahead = w.ahead[:0]
		for _, v := range w.vertices[s*roots+first : s*roots+end] {
			w.ahead = append(w.ahead, uint64(v))
		}
		stage.PrefetchIndices(unsafe.SliceData(m.places), w.ahead)
	}
}

// step advances all walks by one step, in a pipeline over blocks of walks: it prefetches the records of block k+1, draws the
// edges of block k, and reads the ends of the edges of block k-1.
func (w *saintWalks) step(m *builder, words rng.Stream, now, next []uint32, positions []uint64) {
	none := uint64(m.g.NumEdges()) // the position after the last edge, which holds None
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

// frontier makes the multi-dimensional walk: each step replaces a vertex of the frontier, drawn by degree, with one of its
// neighbours. The degrees are kept in a tree of sums, so that a step costs O(log roots).
func (m *builder) frontier(draws app.InducedDraws, key rng.Key) {
	n := uint64(m.g.NumVertices())
	if n == 0 {
		return
	}
	type waiting struct {
		vertex   uint32
		position uint64
		parent   int32
	}
	// 1. Draw the first frontier uniformly.
	words, all := app.DrawKey(key), buffer.Grow[waiting](nil, draws.Roots)[:draws.Roots]
	degrees := selector.NewSums(draws.Roots)
	for i := range all {
		v, _ := rng.Below(words.Word(uint64(i)), n)
		all[i] = waiting{uint32(v), graph.NoEdge, -1}
		m.visit(uint32(v), graph.NoEdge, -1)
		_, degree := m.rows.Of(uint32(v))
		degrees.Add(i, degree)
	}
	// 2. Take the steps. Word 1 of a step selects the vertex, word 0 its neighbour.
	for step := 1; step <= draws.Budget-draws.Roots; step++ {
		if step%drawsPerPoll == 0 && m.row.Stopped() {
			break
		}
		key := key.Stream(uint64(step)).Key(0)
		at := degrees.Scan(key.Word(1))
		if at < 0 {
			break
		}
		from := &all[at]
		place := m.visit(from.vertex, from.position, from.parent)
		first, degree := m.rows.Of(from.vertex)
		i, _ := rng.Below(key.Word(0), degree)
		*from = waiting{m.g.Indices[first+i], first + i, place}
		_, then := m.rows.Of(from.vertex)
		degrees.Add(int(at), then-degree) // modulo 2^64
	}
}
