package stage

// CanPermute reports whether PermuteRows is available.
func CanPermute() bool { return hasAVX512 }

// PermuteRows chooses edges for one node after another. It writes their positions to positions[chosen] and on, and the end of
// each node's edges to ends:
//
//	for i, u := range nodes {
//		first, degree := row of u
//		chosen += selector.PermuteAt(r.Stream.Key(u), r.Fanout, degree, first, positions[chosen:])
//		ends[i] = chosen
//	}
//	return len(nodes)
//
// It stops before a node that drew an edge twice and returns the number of nodes served; positions then holds that node's
// draws, for selector.Settle. It prefetches nothing: positions are written by masked stores, and loads that follow so soon
// would stall.
//
//go:noescape
func PermuteRows(r *Rows, nodes []uint32, positions *uint64, ends *int64, chosen int64) (served int)
