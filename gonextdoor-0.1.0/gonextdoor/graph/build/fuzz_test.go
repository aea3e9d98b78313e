package build

import (
	"math"
	"testing"
	"unsafe"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/offheap"
	"gonextdoor/gonextdoor/refuse"
)

// allDtypes lists the supported dtypes and two that are not supported.
var allDtypes = append(integerDtypes, "float32", "float64", "bool", "")

// fuzzed views bytes as an array of a dtype.
func fuzzed(data []byte, dtype byte) graph.Array {
	a := graph.Array{Dtype: allDtypes[int(dtype)%len(allDtypes)]}
	words := make([]uint64, len(data)/8+1) // aligned
	copy(unsafe.Slice((*byte)(unsafe.Pointer(&words[0])), 8*len(words)), data)
	a.Data = unsafe.Pointer(&words[0])
	switch a.Dtype {
	case "int8", "uint8", "bool", "":
		a.Len = len(data)
	case "int16", "uint16":
		a.Len = len(data) / 2
	case "int32", "uint32", "float32":
		a.Len = len(data) / 4
	default:
		a.Len = len(data) / 8
	}
	return a
}

// sound fails unless a builder returned either a valid graph or a refusal, and freed all other arrays.
func sound(t *testing.T, g *graph.Graph, err error, live int) {
	t.Helper()
	switch {
	case err == nil:
		invariants(t, g)
		for u := range uint32(g.NumVertices()) {
			first, end := g.Row(u)
			for p := first; g.Weighted() && p < end; p++ {
				if w := g.Weight(u, p); !(w >= 0) || math.IsInf(w, 1) {
					t.Fatalf("weight %v", w)
				}
			}
		}
		if back, err := Reverse(g, 2, nil); err == nil {
			invariants(t, back)
			back.Close()
		} else if refuse.KindOf(err) != refuse.KindValue {
			t.Fatal(err)
		}
		g.Close()
	case g != nil || refuse.KindOf(err) == "":
		t.Fatalf("graph %v, error %v", g, err)
	}
	if offheap.Live() != live {
		t.Fatalf("%d arrays leaked", offheap.Live()-live)
	}
}

func FuzzFromEdges(f *testing.F) {
	f.Add([]byte{0, 1, 2}, []byte{1, 2, 0}, []byte{1, 2, 3}, uint32(0), int64(-1), byte(7))
	f.Add([]byte{5, 5, 5, 5, 1, 1, 1, 1}, []byte{0, 0, 0, 0, 9, 0, 0, 0}, []byte{0, 0, 128, 63, 0, 0, 192, 127}, uint32(0x0a080202), int64(100_000_000), byte(1))
	f.Fuzz(func(t *testing.T, src, dst, attribute []byte, dtypes uint32, vertices int64, options byte) {
		e := Edges{
			Sources: fuzzed(src, byte(dtypes)), Targets: fuzzed(dst, byte(dtypes>>8)), NumVertices: int(vertices),
			Symmetric: options&1 > 0, Deduplicate: options&2 > 0, DropSelfLoops: options&4 > 0, Threads: 1 + int(options>>3&3),
		}
		if options&32 > 0 {
			e.Weights = fuzzed(attribute, byte(dtypes>>16))
		}
		if options&64 > 0 {
			e.Labels = fuzzed(attribute, byte(dtypes>>24))
		}
		if options&128 > 0 {
			e.Times = fuzzed(attribute, byte(dtypes>>24))
		}
		if largest(e.Sources, e.Targets) > 1<<20 || e.NumVertices > 1<<20 {
			t.Skip("right, but it takes long")
		}
		live := offheap.Live()
		g, err := FromEdges(e)
		sound(t, g, err, live)
	})
}

func FuzzFromCSR(f *testing.F) {
	f.Add([]byte{0, 1, 3}, []byte{1, 1, 0}, []byte{1, 2, 3}, uint32(0x04040404), int64(-1), byte(0))
	f.Add([]byte{0, 3, 2}, []byte{1, 2, 0}, []byte{1, 2, 3, 9, 9, 9, 9, 9}, uint32(0x0a080202), int64(5), byte(255))
	f.Fuzz(func(t *testing.T, indptr, indices, attribute []byte, dtypes uint32, vertices int64, options byte) {
		c := CSR{
			Indptr: fuzzed(indptr, byte(dtypes)), Indices: fuzzed(indices, byte(dtypes>>8)), NumVertices: int(vertices),
			Threads: 1 + int(options&3),
		}
		for i, a := range []*graph.Array{&c.Weights, &c.Labels, &c.Times, &c.EdgeIDs} {
			if options>>(2+i)&1 > 0 {
				*a = fuzzed(attribute, byte(dtypes>>(8*(i&1)+16)))
			}
		}
		if c.NumVertices > 1<<20 {
			t.Skip("right, but it takes long")
		}
		live := offheap.Live()
		g, err := FromCSR(c)
		sound(t, g, err, live)
	})
}

// largest returns the largest element of arrays of integers that is a vertex.
func largest(arrays ...graph.Array) (most uint32) {
	for _, a := range arrays {
		for i := range a.Len {
			var v [1]uint32
			if d := dtypes[a.Dtype]; d.integer && d.vertices(a, i, v[:], graph.MaxVertices) < 0 {
				most = max(most, v[0])
			}
		}
	}
	return most
}
