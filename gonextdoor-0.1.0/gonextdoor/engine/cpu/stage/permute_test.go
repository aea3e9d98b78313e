package stage

import (
	"slices"
	"testing"

	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/rng"
	"gonextdoor/gonextdoor/selector"
)

// PermuteRows equals PermuteAt for every supported fan-out, on rows of all small degrees, sinks and some large rows.
func TestPermuteRowsEqualPermuteAt(t *testing.T) {
	if !CanPermute() {
		t.Skip("this CPU has no AVX-512")
	}
	var degrees []uint64
	for d := range uint64(70) {
		degrees = append(degrees, d, d*97, d*239_001)
	}
	n := uint64(len(degrees))
	records, first := make([]uint64, n+1), uint64(0)
	nodes := make([]uint32, n)
	edges := uint64(1)<<40 - 1
	for v, d := range degrees {
		nodes[v] = uint32(v)
		records[v+1] = first<<index.PackedDegreeBits | d
		if d == 0 {
			records[v+1] = edges<<index.PackedDegreeBits | 1
		}
		first += d
	}
	for fanout := uint64(1); fanout <= MaxPermuted; fanout++ {
		for seed := range uint64(200) {
			stream := rng.NewStream(seed, rng.Choices)
			r := Rows{Records: index.Packed{Records: records}.Base(), Edges: edges, Stream: uint64(stream), Fanout: fanout}
			comparePermuted(t, &r, records, nodes, degrees)
		}
	}
}

func comparePermuted(t *testing.T, r *Rows, records []uint64, nodes []uint32, degrees []uint64) {
	t.Helper()
	var s selector.Scratch
	want, dst := []uint64{}, make([]uint64, MaxPermuted)
	got, ends := make([]uint64, MaxPermuted*len(nodes)+1), make([]int64, len(nodes))
	chosen := int64(0)
	for i := 0; i < len(nodes); i++ {
		if served := PermuteRows(r, nodes[i:], &got[0], &ends[i], chosen); served > 0 {
			i += served
			chosen = ends[i-1]
		}
		if i < len(nodes) {
			draws := got[chosen:][:r.Fanout]
			if distinct := slices.Clone(draws); len(slices.Compact(sorted(distinct))) == len(draws) {
				t.Fatalf("stopped before %d, which drew no edge twice", i)
			}
			selector.Settle(degrees[i], records[i+1]>>index.PackedDegreeBits, draws)
			chosen += int64(r.Fanout)
			ends[i] = chosen
		}
	}
	for i, u := range nodes {
		k := selector.PermuteAt(rng.Stream(r.Stream).Key(uint64(u)), r.Fanout, degrees[i], records[i+1]>>index.PackedDegreeBits, dst, &s)
		want = append(want, dst[:k]...)
		if ends[i] != int64(len(want)) {
			t.Fatalf("fan-out %d, degree %d: edges end at %d, want %d", r.Fanout, degrees[i], ends[i], len(want))
		}
	}
	if !slices.Equal(got[:chosen], want) {
		t.Fatalf("fan-out %d: other positions", r.Fanout)
	}
	if slices.Max(got[chosen:]) != 0 {
		t.Fatalf("fan-out %d: wrote past the end", r.Fanout)
	}
}

func sorted(s []uint64) []uint64 {
	slices.Sort(s)
	return s
}
