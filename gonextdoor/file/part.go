package file

// part holds the edges of a parsed block. Its arrays are in the arenas of the worker that parsed it.
type part struct {
	edges  int
	lines  int
	narrow edgeEnds[uint32] // ids from 0 to largest; for text ids, their numbers
	wide   edgeEnds[int64]  // used instead of narrow if an id is negative or needs more than 32 bits
	attributes
	largest uint32
}

// edgeEnds holds both ends of a number of edges.
type edgeEnds[T any] struct{ src, dst []T }

// reserve returns a pair with buffers for a number of edges.
func reserve[T any](arenas *[2]arena[T], most int) (ends edgeEnds[T], err error) {
	if ends.src, err = arenas[0].Reserve(most); err == nil {
		ends.dst, err = arenas[1].Reserve(most)
	}
	return ends, err
}

// keepEdges keeps the first edges of a pair from reserve in the arenas, and shortens the pair to them.
func keepEdges[T any](arenas *[2]arena[T], ends *edgeEnds[T], edges int) {
	arenas[0].Keep(edges)
	arenas[1].Keep(edges)
	ends.src, ends.dst = ends.src[:edges], ends.dst[:edges]
}
