package stage

// CanPermute reports whether PermuteRows is available.
func CanPermute() bool { return hasAVX512 }

// PermuteRows chooses edges for a list of nodes. It writes their positions from positions[chosen] on, and the end of the
// edges of each node to ends:
//
//	for i, u := range nodes {
//		first, degree := row of u
//		chosen += selector.PermuteAt(r.Stream.Key(u), r.Fanout, degree, first, positions[chosen:])
//		ends[i] = chosen
//	}
//	return len(nodes)
//
// It stops before a node that drew an edge twice, and returns the number of nodes before it; positions then holds the draws of
// that node, for selector.Settle. It does not prefetch: positions are written by masked stores, and loads right after them
// would stall.
//
//go:noescape
func PermuteRows(r *Rows, nodes []uint32, positions *uint64, ends *int64, chosen int64) (served int)
