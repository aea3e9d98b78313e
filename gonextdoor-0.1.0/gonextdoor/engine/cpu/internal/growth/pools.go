package growth

import (
	"gonextdoor/gonextdoor/app/program"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/rng"
	"gonextdoor/gonextdoor/selector"
)

// rootPools holds the pools of programs with a VertexBias hook. A sample's pool initially holds its roots. Each step draws the
// transit from the pool, and the vertex that it picks replaces it.
type rootPools struct {
	roots    int      // vertices per pool
	vertices []pooled // of all pools, pool by pool
	current  []int    // per sample: index of the transit in its pool
	biases   []uint64 // of the vertices of one hook call
}

// pooled is a vertex of a pool.
type pooled struct {
	vertex, prev uint32
	edge         uint64 // position of the edge that led to vertex, or graph.NoEdge
}

// newRootPools returns the pools of a group of samples. capacity is the largest number of vertices per hook call.
func newRootPools(roots, samples, capacity int) *rootPools {
	return &rootPools{
		roots: roots, vertices: make([]pooled, samples*roots), current: make([]int, samples), biases: make([]uint64, capacity),
	}
}

// of returns the pool of a sample.
func (p *rootPools) of(view uint32) []pooled { return p.vertices[int(view)*p.roots:][:p.roots] }

// fill sets the pool of a sample to its roots.
func (p *rootPools) fill(view int, roots []uint32) {
	pool := p.of(uint32(view))
	for k := range pool {
		pool[k] = pooled{roots[k], graph.None, graph.NoEdge}
	}
}

// replace puts a vertex in the place of the transit that was current.
func (p *rootPools) replace(view uint32, by pooled) {
	p.of(view)[p.current[view]] = by
}

// drawTransits draws each walker's transit from its pool. A walker ends if no vertex of the pool has a bias.
func (w *walkers) drawTransits() {
	pools, c, t := w.pools, &w.columns, w.scratch
	t.useStepOf(c)
	perCall := t.capacity() / pools.roots // walkers per hook call
	slot := rng.Slot(uint64(w.step), program.PoolTry)
	for lo := 0; lo < w.active; lo += perCall {
		hi, m := min(lo+perCall, w.active), 0
		// 1. Compute the biases of the pools.
		for i := lo; i < hi; i++ {
			for _, v := range pools.of(c.view[i]) {
				t.take(m, c, i)
				t.transit[m], t.prev[m], t.reached[m] = graph.None, graph.None, graph.NoEdge
				t.words[m], t.edge[m], t.dst[m] = c.words[i], graph.NoEdge, v.vertex
				m++
			}
		}
		w.hooks.vertexBias(t, m, pools.biases)
		// 2. Draw a vertex from each.
		for i := lo; i < hi; i++ {
			biases := pools.biases[(i-lo)*pools.roots:][:pools.roots]
			at := selector.Scan(rng.Key(c.key[i]).Word(slot), pools.roots, func(k int) uint64 { return biases[k] })
			c.transit[i] = graph.None
			if at >= 0 {
				v := pools.of(c.view[i])[at]
				pools.current[c.view[i]] = int(at)
				c.transit[i], c.prev[i], c.reached[i] = v.vertex, v.prev, v.edge
			}
		}
	}
	w.keep(func(i int) bool { return c.transit[i] != graph.None })
}
