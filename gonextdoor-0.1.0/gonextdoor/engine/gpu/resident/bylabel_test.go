package resident_test

import (
	"math/big"
	"slices"
	"testing"

	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/engine/gpu/resident"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/kernels"
)

func checkLabels(t *testing.T, g *graph.Graph, at kernels.Graph, d *cuda.Device, s cuda.Stream) {
	n, m := g.NumVertices(), g.NumEdges()
	if !slices.Equal(read[int32](t, d, s, at.Labels, m), g.Labels) {
		t.Error("labels differ")
	}
	kinds := slices.Compact(slices.Sorted(slices.Values(g.Labels)))
	if at.LabelKinds != uint64(len(kinds)) {
		t.Fatalf("%d kinds of labels, expected %d", at.LabelKinds, len(kinds))
	}
	starts := read[uint64](t, d, s, at.LabelRows, n*len(kinds)+1)
	ends, positions := read[uint32](t, d, s, at.LabelIndices, m), read[uint32](t, d, s, at.LabelPositions, m)
	place := 0
	for v := range uint32(n) {
		first, end := g.Row(v)
		for k, label := range kinds {
			if starts[int(v)*len(kinds)+k] != uint64(place) {
				t.Fatalf("kind %d of vertex %d begins at %d, expected %d", k, v, starts[int(v)*len(kinds)+k], place)
			}
			for p := first; p < end; p++ {
				if g.Labels[p] != label {
					continue
				}
				if positions[place] != uint32(p) || ends[place] != g.Indices[p] {
					t.Fatalf("place %d has edge %d to %d, expected %d", place, positions[place], ends[place], p)
				}
				place++
			}
		}
	}
	if starts[n*len(kinds)] != uint64(m) {
		t.Error("the end of the rows by label is wrong")
	}
	for v, record := range read[quad](t, d, s, at.PackedLabels, n) {
		if want := packedLabels(starts[v*len(kinds):][:len(kinds)+1]); len(kinds) > 0 && record != want {
			t.Fatalf("the numbers of labels of vertex %d are %x, expected %x", v, record, want)
		}
	}
	r := resident.Of(g, d)
	for k, label := range kinds {
		if r.Kind(label) != int32(k) {
			t.Errorf("label %d has the number %d, expected %d", label, r.Kind(label), k)
		}
	}
	if r.Kind(7777) != int32(len(kinds)) {
		t.Error("a label without edges has a number")
	}
}

// packedLabels returns the record of a vertex whose edges of label k are [starts[k], starts[k+1]).
func packedLabels(starts []uint64) quad {
	kinds := len(starts) - 1
	each := min(31, 96/max(1, kinds))
	all := new(big.Int)
	for k := range kinds {
		count := starts[k+1] - starts[k]
		if count>>each > 0 {
			return quad{uint32(starts[0]), ^uint32(0), ^uint32(0), ^uint32(0)}
		}
		all.Or(all, new(big.Int).Lsh(new(big.Int).SetUint64(count), uint(k*each)))
	}
	word := func(i uint) uint32 { return uint32(new(big.Int).Rsh(all, 32*i).Uint64()) }
	return quad{uint32(starts[0]), word(0), word(1), word(2)}
}
