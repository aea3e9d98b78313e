package file

const reverseChecks = 64 // edges whose reverse is searched for

// bothDirections reports whether the list appears to contain each edge in both directions: it contains the reverse of
// reverseChecks edges that are spaced evenly. It takes one pass over the list.
func (l *edgeList) bothDirections() bool {
	type edge struct{ src, dst uint32 }
	missing := map[edge]bool{}
	if len(l.src) == 0 {
		return false
	}
	var maybe [1 << 13]uint64 // a Bloom filter of the sources of the reverse edges, which avoids most map lookups
	for i := range reverseChecks {
		at := i * len(l.src) / reverseChecks
		if u, v := l.src[at], l.dst[at]; u != v {
			missing[edge{v, u}] = true
			maybe[v>>6%(1<<13)] |= 1 << (v % 64)
		}
	}
	if len(missing) == 0 {
		return false
	}
	for i, u := range l.src {
		if maybe[u>>6%(1<<13)]>>(u%64)&1 == 0 {
			continue
		}
		delete(missing, edge{u, l.dst[i]})
		if len(missing) == 0 {
			return true
		}
	}
	return false
}
