package partition

import (
	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/engine/cpu/stage"
)

// groupSize is the number of walkers that advance in turn, so that their cache misses overlap. It is the number of values of
// the index of a walker, so that reading one needs no bounds check.
const groupSize = 1 << 8

// walkerGroup has the walkers in execution. Each index is in exactly one of free, ready, leaving and lookups between two rounds.
// Walkers do not move, and a place that becomes free is taken by the next message, so that a round has many of them.
type walkerGroup struct {
	walkers [groupSize]walker
	free    list       // places without a walker
	ready   list       // walkers that make a step or a try
	leaving list       // walkers that begin a step in another part, and take hints along
	asking  list       // walkers that ask another part about their candidate, and take the next tries along
	refused list       // walkers in this part to ask, whose candidate was rejected
	lookups [2]lookups // of walkers about whose candidate an edge decides: in owned rows, in hot rows

	turn      [2]list              // walkers that were ready when the round began: at owned rows, at hot rows
	batch     batch                // those of one of these
	outcomes  [outcomes]list       // walkers of the batch by outcome
	strays    stage.Strays         // walkers of the batch that draw a slot outside their row
	outliers  [outlierKinds]list   // those by what they propose
	places    [groupSize]app.Place // of outliers, by walker
	nears     list                 // walkers that propose an end point of their previous vertex, which has a row of this part
	first     [groupSize]uint64    // by leaving walker: the begin of its row
	degree    [groupSize]uint64    // by leaving walker: the number of edges of its row
	from      [groupSize]uint64    // by leaving walker: the number of edges of the previous vertex
	positions []uint64             // to prefetch
}

// What walkers propose by a slot outside their row (selector.Outliers).
const (
	noOutlier = iota // nothing: no edge can select the place
	edgeBack         // an edge to the previous vertex
	edgeNear         // an edge to a neighbour of it
	outlierKinds
)

// newWalkerGroup returns a group without walkers.
func newWalkerGroup() *walkerGroup {
	g := &walkerGroup{positions: make([]uint64, 0, groupSize)}
	for i := range groupSize {
		g.free.push(uint8(i))
	}
	return g
}

// begin begins a round: the walkers that are ready make their turn.
func (g *walkerGroup) begin() {
	g.turn[0].size, g.turn[1].size = 0, 0
	for _, i := range g.ready.all() {
		g.turn[bit(g.walkers[i].hot)].push(i)
	}
	g.ready.size = 0
}

// busy reports whether a walker is ready or waits.
func (g *walkerGroup) busy() bool {
	return g.ready.size+g.leaving.size+g.refused.size+g.lookups[0].size()+g.lookups[1].size() > 0
}

// list is a list of places in a group, each at most once.
type list struct {
	of   [groupSize]uint8
	size int
}

// push appends a place.
func (l *list) push(i uint8) {
	l.of[uint8(l.size)] = i
	l.size++
}

// pop removes the last place.
func (l *list) pop() uint8 {
	l.size--
	return l.of[uint8(l.size)]
}

// all returns the places. They are valid until the next push.
func (l *list) all() []uint8 { return l.of[:l.size] }

// bit returns 1 for true.
func bit(b bool) uint8 {
	if b {
		return 1
	}
	return 0
}
