package neighborbatch_test

import (
	"slices"
	"strings"
	"testing"
	"unsafe"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/engine/neighborbatch"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/build"
	"gonextdoor/gonextdoor/offheap"
	"gonextdoor/gonextdoor/refuse"
)

// wheel returns a graph of a hub and a rim. Each rim vertex has edges to the hub and to the next one; the last is a sink.
func wheel(t *testing.T, rim int) *graph.Graph {
	t.Helper()
	var src, dst []int64
	for v := 1; v < rim; v++ {
		src, dst = append(src, 0, int64(v), int64(v)), append(dst, int64(v), 0, int64(v+1))
	}
	g, err := build.FromEdges(build.Edges{Sources: graph.ArrayOf(src), Targets: graph.ArrayOf(dst), NumVertices: build.Unknown})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(g.Close)
	return g
}

func TestBatchesEqualTheirDefinition(t *testing.T) {
	g := wheel(t, 30)
	h := graph.Homogeneous(g)
	b := neighborbatch.New(h)
	defer b.Close()
	batchSeeds := []uint64{3, 1 << 63}
	nodes := []app.SeedNodes{{Vertices: [][]uint32{{5, 0}}}, {Vertices: [][]uint32{{9}}}}
	for _, expand := range []app.Expand{app.ExpandAll, app.ExpandNew} {
		m := &app.NeighborSampling{Fanouts: [][]int{{2}, {3}}, Weighted: app.No, Expand: expand}
		all, err := b.DrawMany(m, batchSeeds, nodes, 2, nil)
		if err != nil {
			t.Fatal(err)
		}
		for k, got := range all {
			want := m.Sample(h, batchSeeds[k], nodes[k])
			for i, v := range want.Nodes[0] {
				if got.Nodes[0][i] != int64(v) {
					t.Fatalf("node %d is %d, expected %d", i, got.Nodes[0][i], v)
				}
			}
			for i, hop := range want.Hops {
				if x := got.Hops[i][0]; !slices.Equal(x.Indices, hop[0].Indices) || !slices.Equal(x.Indptr, hop[0].Indptr) {
					t.Errorf("hop %d differs", i)
				}
			}
			got.Return()
		}
	}
}

// The arrays of a small batch fill the arena in the record: both ends of the edges are rows of one array.
func TestSmallBatchesArePacked(t *testing.T) {
	h := graph.Homogeneous(wheel(t, 30))
	b := neighborbatch.New(h)
	defer b.Close()
	m := &app.NeighborSampling{Fanouts: [][]int{{2}, {3}}, Weighted: app.No, Layout: app.COO}
	const room = 200
	const after = int(unsafe.Sizeof(neighborbatch.Request{}) / 8)
	record := make([]int64, after+1+1+2+3+6+8+room) // request, seed, count, seed nodes, headers, room
	request := (*neighborbatch.Request)(unsafe.Pointer(&record[0]))
	*request = neighborbatch.Request{Batches: 1, Place: 1, Kind: -8, Room: room}
	copy(record[after:], []int64{3, 2, 5, 0})
	lent := offheap.Results.Out()
	if err := b.Call(m, unsafe.Pointer(&record[0]), nil); err != nil {
		t.Fatal(err)
	}
	header := record[after+4:]
	nodes, sources, destinations, edgeIDs := header[3], header[8], header[9], header[10]
	edges := header[11] + header[12]
	if header[0] != 0 || nodes != 0 || destinations != sources+edges || edgeIDs != destinations+edges || header[1] != edgeIDs+edges {
		t.Errorf("the header is %v", header[:13])
	}
	if n := offheap.Results.Out(); n != lent {
		t.Errorf("%d results are lent, %d were before", n, lent)
	}
}

// If one batch is refused, the call returns an error and no result stays lent.
func TestBatchesAreRefusedTogether(t *testing.T) {
	b := neighborbatch.New(graph.Homogeneous(wheel(t, 30)))
	defer b.Close()
	lent := offheap.Results.Out()
	m := &app.NeighborSampling{Fanouts: [][]int{{2}}}
	_, err := b.DrawMany(m, []uint64{1, 2}, []app.SeedNodes{{Vertices: [][]uint32{{5, 0}}}, {Vertices: [][]uint32{{7, 7}}}}, 1, nil)
	if refuse.KindOf(err) != refuse.KindValue || !strings.HasPrefix(err.Error(), "batch 1: seed_nodes[1] = 7") {
		t.Errorf("error %v, expected a refusal", err)
	}
	if n := offheap.Results.Out(); n != lent {
		t.Errorf("%d results are lent, %d were before", n, lent)
	}
}
