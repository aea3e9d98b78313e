package file

import (
	"bytes"
	"strings"
)

// saysUndirected reports whether a comment line says that the edges have no direction, as SNAP's "# Undirected graph:"
// and KONECT's "% sym" do.
func saysUndirected(comment []byte) bool {
	words := strings.Fields(strings.ToLower(string(bytes.TrimLeft(bytes.TrimSpace(comment), "#% "))))
	if len(words) == 0 {
		return false
	}
	if words[0] == "sym" && bytes.HasPrefix(bytes.TrimSpace(comment), []byte("%")) {
		return true
	}
	return strings.Trim(words[0], ":,.") == "undirected"
}

const opposites = 64 // edges whose opposite is looked for

// bothDirections reports whether a list of edges appears to hold each edge in both directions already: the opposites of
// all edges of a sample are in it.
func (l *list) bothDirections() bool {
	type edge struct{ src, dst uint32 }
	missing := map[edge]bool{}
	if len(l.src) == 0 {
		return false
	}
	var maybe [1 << 13]uint64 // a bit per hash of the opposite's source
	for i := range opposites {
		at := i * len(l.src) / opposites
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
