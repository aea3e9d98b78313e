package apptest

import (
	"strconv"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/internal/stattest"
)

// longest is the length from which on walks are one outcome.
const longest = 30

// ends returns the distribution of (length, last vertex) of a stopped walk without a limit, by powers of the transition
// matrix.
func ends(g *graph.Graph, root uint32, stop float64, weighted bool) stattest.Distribution {
	exact := stattest.Distribution{}
	at := make([]float64, g.NumVertices()) // the probability that a walk has not ended, by vertex
	at[root] = 1
	for length := range longest + 1 {
		next := make([]float64, len(at))
		for u, p := range at {
			weights := weightsOf(g, uint32(u), weighted)
			sum := 0.0
			for _, w := range weights {
				sum += w
			}
			if sum == 0 {
				exact[endName(length, uint32(u))] += p
				continue
			}
			if length == longest {
				exact["longer"] += p
				continue
			}
			for i, w := range weights {
				v := g.Indices[g.Indptr[u]+uint64(i)]
				exact[endName(length+1, v)] += p * w / sum * stop
				next[v] += p * w / sum * (1 - stop)
			}
		}
		at = next
	}
	return exact
}

func endName(length int, v uint32) string {
	return strconv.Itoa(length) + " to " + strconv.Itoa(int(v))
}

// endOf writes the outcome of a row as ends does.
func endOf(_ *graph.Graph, row app.Row, out []byte) []byte {
	if len(row.Edges) > longest {
		return append(out, "longer"...)
	}
	return append(out, endName(len(row.Edges), row.Vertices[len(row.Vertices)-1])...)
}
