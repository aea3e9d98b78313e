package neighbor

import (
	"unsafe"

	"gonextdoor/gonextdoor/app"
)

// lay says which lists of an arena an expansion writes.
type lay struct {
	arena                           *arena
	ids, ends, destinations, indptr int // numbers of lists; -1: none
}

// plots numbers the lists of a mini-batch: the edges' by hop and relation, or by relation alone where they are pairs, then
// the nodes' by type, and their trees'.
type plots struct {
	pairs, disjoint        bool
	hops, relations, types int
}

func plotsOf(m *app.MiniBatch, relations, types int) plots {
	return plots{m.Layout == app.COO, m.Disjoint, len(m.Fanouts), relations, types}
}

// edges gives the lists of a relation in a hop.
func (p plots) edges(a *arena, hop, relation int) lay {
	if p.pairs {
		return lay{a, 3 * relation, 3*relation + 1, 3*relation + 2, -1}
	}
	first := 3 * (hop*p.relations + relation)
	return lay{a, first, first + 1, -1, first + 2}
}

// nodes gives the list of a type's nodes.
func (p plots) nodes(t int) int {
	if p.pairs {
		return 3*p.relations + t
	}
	return 3*p.relations*p.hops + t
}

// trees gives the list of their trees.
func (p plots) trees(t int) int { return p.nodes(p.types) + t }

// count is the number of lists.
func (p plots) count() int {
	if p.disjoint {
		return p.trees(p.types)
	}
	return p.nodes(p.types)
}

// look gives the room for edges behind those that are there.
func (l lay) look() (positions []uint64, ends, destinations []int64) {
	ids := l.arena.left(l.ids)
	ends = l.arena.left(l.ends)
	n := min(len(ids), len(ends))
	if l.destinations >= 0 {
		destinations = l.arena.left(l.destinations)
		n = min(n, len(destinations))
		destinations = destinations[:n]
	}
	return unsigned(ids[:n]), ends[:n], destinations
}

// needs is room for so many edges.
func (l lay) needs(edges int) []need {
	needs := []need{{l.ids, edges}, {l.ends, edges}}
	if l.destinations >= 0 {
		needs = append(needs, need{l.destinations, edges})
	}
	return needs
}

// use puts the next edges in use.
func (l lay) use(edges int) {
	for _, n := range l.needs(edges) {
		l.arena.lists[n.list].used += edges
	}
}

// extend makes room for more edges behind those chosen.
func (l lay) extend(chosen, more int) error {
	l.use(chosen) // so that they move too
	err := l.arena.extend(l.needs(more)...)
	l.use(-chosen)
	return err
}

// spread writes the nodes that edges lead to, which have the numbers from node on and whose edges end at ends. Where a
// node has few edges at most it writes eight at a time while they fit, and leaves it to the next to overwrite those
// behind its own.
func spread(to []int64, first int, ends []int64, node int64, fanout uint64) {
	for fanout <= spare && len(ends) > 0 && first+spare <= len(to) {
		u := node
		eight := (*[spare]int64)(unsafe.Pointer(&to[first]))
		eight[0], eight[1], eight[2], eight[3] = u, u, u, u
		eight[4], eight[5], eight[6], eight[7] = u, u, u, u
		first, ends, node = int(ends[0]), ends[1:], node+1
	}
	for i, end := range ends {
		of := to[first:end]
		for j := range of {
			of[j] = node + int64(i)
		}
		first = int(end)
	}
}

// unsigned is the same memory, for numbers that are never negative.
func unsigned(s []int64) []uint64 {
	return unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(s))), len(s))
}

// asWords writes numbers as words.
func asWords(to []int64, from []uint32) {
	for i, v := range from {
		to[i] = int64(v)
	}
}
