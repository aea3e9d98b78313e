package growth

import (
	"unsafe"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/app/program"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/offheap"
	"gonextdoor/gonextdoor/refuse"
)

// pick is one pick of a choice.
type pick struct {
	at   int    // column of the choice
	slot uint32 // number of the pick within the choice
	edge uint64 // position of the picked edge, or graph.NoEdge
	dst  uint32 // picked vertex; graph.None if the Next hook picked none
	to   uint32 // vertex to record
	next uint32 // transit of the next step, or graph.None
	from transit
}

// pickList holds the picks of a step's choices, choice by choice.
type pickList struct {
	graph *graph.Graph
	all   []pick
}

// begin starts the picks of a choice.
func (l *pickList) begin(c *choice) { c.firstPick = len(l.all) }

// end ends the picks of a choice.
func (l *pickList) end(c *choice) { c.endPick = len(l.all) }

// of returns the picks of a choice.
func (l *pickList) of(c *choice) []pick { return l.all[c.firstPick:c.endPick] }

// add adds a pick: candidate i of the choice in column at.
func (l *pickList) add(at int, c *choice, i uint64) {
	span, edge := c.among.at(i)
	slot := uint32(len(l.all) - c.firstPick)
	l.all = append(l.all, pick{at: at, slot: slot, edge: edge, dst: l.graph.Indices[edge], from: span.from})
}

// reserve empties the list and allocates memory for the picks of the active choices. It returns an error before the first
// pick if they do not fit. repeats is true if a candidate may be picked several times, so that the number of candidates does
// not limit the number of picks.
func (l *pickList) reserve(choices []choice, active []int, repeats bool) error {
	l.all = l.all[:0]
	total := int64(0)
	for _, i := range active {
		c := &choices[i]
		k := int64(max(0, c.k))
		if c.k == app.All || !repeats {
			n := int64(c.among.n) // of all transits together
			if c.from.vertex != graph.None {
				n = int64(l.graph.Degree(c.from.vertex))
			}
			if c.k == app.All || n < k {
				k = n
			}
		}
		total += k
	}
	if total > (1<<46)/int64(unsafe.Sizeof(pick{})) {
		return refuse.Memory("a step makes %d picks, which do not fit in memory: sample fewer at a time", total)
	}
	var err error
	l.all, err = offheap.Room(l.all, int(total))
	return err
}

// update sets the vertices to record and the next transits: the picked ones, or those that the Update hook returns. c has the
// columns of the choices; scratch is overwritten.
func (l *pickList) update(r *programRun, hooks *hookCaller, c, scratch *columns) {
	for i := range l.all {
		p := &l.all[i]
		p.to, p.next = p.dst, p.dst
	}
	if r.program.Update == nil {
		return
	}
	t := scratch
	t.useStepOf(c)
	for lo := 0; lo < len(l.all); {
		// 1. Collect picks for one call.
		n, hi := 0, lo
		for ; hi < len(l.all) && n < t.capacity(); hi++ {
			p := &l.all[hi]
			if p.dst == graph.None {
				continue
			}
			t.take(n, c, p.at)
			t.transit[n], t.prev[n], t.reached[n] = p.from.vertex, p.from.prev, p.from.edge
			t.slot[n], t.words[n] = p.slot, c.words[p.at]+uint64(p.slot)*program.UserWords
			t.edge[n], t.dst[n] = p.edge, p.dst
			n++
		}
		// 2. Call the hook, and store the results.
		next := hooks.update(t, n)
		for ; lo < hi; lo++ {
			if p := &l.all[lo]; p.dst != graph.None {
				p.leadTo(next[0])
				next = next[1:]
			}
		}
	}
	clear(t.slot)
}

// leadTo stores the result of the Update hook. If it is graph.None, the picked vertex is recorded and not expanded.
func (p *pick) leadTo(next uint32) {
	p.next = next
	if next != graph.None && next != p.dst {
		p.to, p.edge = next, graph.NoEdge
	}
}
