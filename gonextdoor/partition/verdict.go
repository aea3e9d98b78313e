package partition

import "gonextdoor/gonextdoor/graph"

// verdict is the result of a try.
type verdict uint8

// The verdicts.
const (
	rejected  verdict = iota
	accepted          // the edge at the position
	undecided         // an edge between the previous vertex and the end point of the position decides
	ended             // no edge has a bias
	near              // an end point of the previous vertex is the candidate
	whole             // no try is left
)

// decided returns the verdict about a candidate that is the previous vertex or not, given whether it is accepted as the
// previous vertex, as a neighbour of it, and as another vertex. It has no branches, since the outcomes are random.
func decided(back, ifBack, ifNear, ifAway bool) verdict {
	isBack, near, away := bit(back), bit(ifNear), bit(ifAway)
	sure := isBack&bit(ifBack) | (1-isBack)&near&away
	open := (1 - isBack) & (near ^ away)
	return verdict(sure)*accepted | verdict(open)*undecided
}

// acceptedIf returns accepted if sure is 1, and the verdict if it is 0. It has no branch either.
func (v verdict) acceptedIf(sure uint8) verdict { return verdict(sure)*accepted | verdict(1-sure)*v }

// bit returns 1 for true.
func bit(b bool) uint8 {
	if b {
		return 1
	}
	return 0
}

// found returns the verdict about the edge of a place.
func found(position uint64) (uint64, verdict) {
	if position == graph.NoEdge {
		return position, rejected
	}
	return position, accepted
}
