package neighbor

import (
	"unsafe"

	"gonextdoor/gonextdoor/app"
)

// arenaLayout assigns indices to the lists of a mini-batch. The lists of edges come first, by hop and relation in CSC and
// by relation in COO; then the nodes of each type, then their trees.
type arenaLayout struct {
	coo, disjoint          bool
	hops, relations, types int
}

// layoutOf returns the layout of the mini-batches of m.
func layoutOf(m *app.NeighborSampling, relations, types int) arenaLayout {
	return arenaLayout{m.Layout == app.COO, m.Disjoint, len(m.Fanouts), relations, types}
}

// edges returns the lists of a relation in a hop.
func (p arenaLayout) edges(a *arena, hop, relation int) edgeLists {
	if p.coo {
		return edgeLists{a, 3 * relation, 3*relation + 1, 3*relation + 2, -1}
	}
	first := 3 * (hop*p.relations + relation)
	return edgeLists{a, first, first + 1, -1, first + 2}
}

// nodes returns the list of the nodes of a type.
func (p arenaLayout) nodes(t int) int {
	if p.coo {
		return 3*p.relations + t
	}
	return 3*p.relations*p.hops + t
}

// trees returns the list of the trees of the nodes of a type, if trees are disjoint.
func (p arenaLayout) trees(t int) int { return p.nodes(p.types) + t }

// count returns the number of lists.
func (p arenaLayout) count() int {
	if p.disjoint {
		return p.trees(p.types)
	}
	return p.nodes(p.types)
}

// edgeLists are the lists of an arena that an expansion writes: COO has destinations, CSC has indptr.
type edgeLists struct {
	arena                           *arena
	ids, ends, destinations, indptr int // indices of lists; -1: none
}

// unused returns the memory past the edges that the lists hold. All slices have one length.
func (l edgeLists) unused() (positions []uint64, ends, destinations []int64) {
	ids := l.arena.unused(l.ids)
	ends = l.arena.unused(l.ends)
	n := min(len(ids), len(ends))
	if l.destinations >= 0 {
		destinations = l.arena.unused(l.destinations)
		n = min(n, len(destinations))
		destinations = destinations[:n]
	}
	return unsigned(ids[:n]), ends[:n], destinations
}

// needs returns the needs of a number of additional edges.
func (l edgeLists) needs(edges int) []need {
	needs := []need{{l.ids, edges}, {l.ends, edges}}
	if l.destinations >= 0 {
		needs = append(needs, need{l.destinations, edges})
	}
	return needs
}

// commit appends the next edges, which the caller has written to unused memory.
func (l edgeLists) commit(edges int) {
	for _, n := range l.needs(edges) {
		l.arena.lists[n.list].used += edges
	}
}

// reserve ensures capacity for more edges after the chosen ones, which are not committed yet.
func (l edgeLists) reserve(chosen, more int) error {
	l.commit(chosen) // a move copies committed edges only
	err := l.arena.reserve(l.needs(more)...)
	l.commit(-chosen)
	return err
}

// expandSlack is the number of words past the last edge that expandOffsets may overwrite.
const expandSlack = 8

// expandOffsets converts offsets to coordinates (CSR to COO): it writes the destination of each edge from index first on.
// The destinations have consecutive local ids from node on, and the edges of each end at ends. If the fan-out is small,
// it writes eight words per destination while they fit; the next destination overwrites the excess.
func expandOffsets(to []int64, first int, ends []int64, node int64, fanout uint64) {
	// 1. Fixed stores of eight words, without a loop over the edges.
	for fanout <= expandSlack && len(ends) > 0 && first+expandSlack <= len(to) {
		u := node
		eight := (*[expandSlack]int64)(unsafe.Pointer(&to[first]))
		eight[0], eight[1], eight[2], eight[3] = u, u, u, u
		eight[4], eight[5], eight[6], eight[7] = u, u, u, u
		first, ends, node = int(ends[0]), ends[1:], node+1
	}
	// 2. The rest, one word at a time.
	for i, end := range ends {
		of := to[first:end]
		for j := range of {
			of[j] = node + int64(i)
		}
		first = int(end)
	}
}

// unsigned returns the same memory as unsigned words. The values of s are not negative.
func unsigned(s []int64) []uint64 {
	return unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(s))), len(s))
}

// widen copies 32-bit values to words.
func widen(to []int64, from []uint32) {
	for i, v := range from {
		to[i] = int64(v)
	}
}
