package apptest

import (
	"fmt"
	"math"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/graph"
)

// normalised returns the adjacency matrix with a self-loop at every vertex, normalised symmetrically or by rows, as a dense
// matrix.
func normalised(g *graph.Graph, symmetric bool) [][]float64 {
	n := g.NumVertices()
	all, sums := make([][]float64, n), make([]float64, n)
	for v := range all {
		all[v] = make([]float64, n)
		all[v][v]++
		for _, u := range g.Neighbors(uint32(v)) {
			all[v][u]++
		}
		for _, a := range all[v] {
			sums[v] += a
		}
	}
	for v := range all {
		for u := range all[v] {
			if symmetric {
				all[v][u] /= math.Sqrt(sums[v] * sums[u])
			} else {
				all[v][u] /= sums[v]
			}
		}
	}
	return all
}

// norms returns the squared norm of the column of each vertex, restricted to the rows of some vertices.
func norms(matrix [][]float64, rows []uint32) []float64 {
	squares := make([]float64, len(matrix))
	for _, v := range rows {
		for u, a := range matrix[v] {
			squares[u] += a * a
		}
	}
	return squares
}

// layerwise draws layers in proportion to the norms of columns: over all vertices (FastGCN), or for the layer before (LADIES).
// It writes each layer and the entries from the layer before, divided by size times probability.
func layerwise(g *graph.Graph, roots []uint32, sizes []int, dependent, replace, normalize, symmetric bool) func(*script) {
	matrix := normalised(g, symmetric)
	every := make([]uint32, g.NumVertices())
	for v := range every {
		every[v] = uint32(v)
	}
	return func(s *script) {
		last := roots
		for _, size := range sizes {
			weights := norms(matrix, every)
			order := every
			if dependent {
				weights, order = norms(matrix, last), appearance(g, last)
			}
			var next []uint32
			var chances []float64
			total := 0.0
			for _, w := range weights {
				total += w
			}
			for _, i := range picks(s, at(weights, order), size, replace) {
				next = append(next, order[i])
				chances = append(chances, weights[order[i]]/total)
			}
			s.writeLayer(g, matrix, last, next, chances, normalize)
			last = next
		}
	}
}

func at(weights []float64, order []uint32) (some []float64) {
	for _, v := range order {
		some = append(some, weights[v])
	}
	return some
}

// appearance returns the vertices of a layer and their neighbours in the order of first appearance.
func appearance(g *graph.Graph, layer []uint32) (order []uint32) {
	seen := map[uint32]bool{}
	for _, v := range layer {
		for _, u := range append([]uint32{v}, g.Neighbors(v)...) {
			if !seen[u] {
				seen[u] = true
				order = append(order, u)
			}
		}
	}
	return order
}

// writeLayer writes a layer and its matrix, whose rows are the layer before.
func (s *script) writeLayer(g *graph.Graph, matrix [][]float64, last, next []uint32, chances []float64, normalize bool) {
	for _, u := range next {
		s.write(uint64(u))
	}
	for _, v := range last {
		row, sum := make([]float64, len(next)), 0.0
		for j, u := range next {
			row[j] = matrix[v][u] / (float64(len(next)) * chances[j])
			sum += row[j]
		}
		for j := range row {
			if normalize && sum > 0 {
				row[j] /= sum
			}
			s.mark(number(row[j]))
		}
	}
	s.mark("; ")
}

// number formats a value with fewer digits than rounding affects.
func number(x float64) string { return fmt.Sprintf("%.4f ", x+1e-9) }

// matricesOf writes each layer of a row and its matrix as writeLayer does.
func matricesOf(_ *graph.Graph, row app.Row, out []byte) []byte {
	first := int32(0)
	for level := 1; level < len(row.Ends); level++ {
		middle, end := row.Ends[level-1], row.Ends[level]
		for _, u := range row.Vertices[middle:end] {
			out = appendPosition(out, uint64(u))
		}
		for v := first; v < middle; v++ {
			values := make([]float64, end-middle)
			for _, l := range row.Links {
				if l.Source == v && l.Target >= middle && l.Target < end {
					values[l.Target-middle] += l.Value
				}
			}
			for _, x := range values {
				out = append(out, number(x)...)
			}
		}
		out = append(out, "; "...)
		first = middle
	}
	return out
}
