package file

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/build"
	"gonextdoor/gonextdoor/graph/graphtest"
	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/graph/owner"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/refuse"
)

// partitioned writes a graph in parts.
func partitioned(t testing.TB, g *graph.Graph, p Partitioning) string {
	t.Helper()
	folder := filepath.Join(t.TempDir(), "graph")
	if err := WritePartition(g, folder, p, nil); err != nil {
		t.Fatal(err)
	}
	return folder
}

// byMap returns an assignment with an owner array: the vertices take turns.
func byMap(g *graph.Graph, parts int) *owner.Map {
	m := owner.NewMap(g.NumVertices(), parts)
	for v := range uint32(g.NumVertices()) {
		m.Set(v, int(v)%parts)
	}
	return m
}

// sameRow compares row i of a part with that of vertex v of the graph, ids and attributes included.
func sameRow(t *testing.T, rows *graph.Graph, i uint32, g *graph.Graph, v uint32) {
	t.Helper()
	if !reflect.DeepEqual(rows.Neighbors(i), g.Neighbors(v)) {
		t.Errorf("row of vertex %d is %v, expected %v", v, rows.Neighbors(i), g.Neighbors(v))
		return
	}
	from, end := g.Row(v)
	for p := from; p < end; p++ {
		q := rows.Indptr[i] + p - from
		if rows.EdgeID(q) != g.EdgeID(p) || rows.Weight(i, q) != g.Weight(v, p) ||
			g.Labels != nil && rows.Labels[q] != g.Labels[p] || g.Times != nil && rows.Times[q] != g.Times[p] {
			t.Errorf("edge %d of vertex %d differs", p-from, v)
		}
	}
}

func TestPartitionRoundTrip(t *testing.T) {
	ids64, ints, text := full(t), full(t), full(t)
	ids64.EdgeIDs, ids64.EdgeIDs64 = nil, []uint64{1 << 40, 0, 3, 4}
	ints.Names.Ints = []int64{-5, 0, 7, 1 << 50}
	text.Names.Text, text.Names.Offsets = []byte("aéb"), []uint64{0, 1, 3, 4, 4}
	rmat := graphtest.RMAT(t, build.RMAT{Scale: 7, EdgeFactor: 4, Symmetric: true, Low: 1, High: 5})
	for name, g := range map[string]*graph.Graph{"full": full(t), "wide ids": ids64, "ints": ints, "text": text, "rmat": rmat} {
		for _, o := range []*owner.Map{owner.Ranges(g, 1), owner.Ranges(g, 3), byMap(g, 3), byMap(g, 257)} {
			if o.Wide != nil && name != "full" {
				continue // each file is synced, which takes time
			}
			hot, err := owner.Hot(g, .3)
			if err != nil {
				t.Fatal(err)
			}
			p, err := OpenPartition(partitioned(t, g, Partitioning{Owner: o, By: "test", Hot: hot}))
			if err != nil {
				t.Fatal(name, o.Parts(), err)
			}
			samePartition(t, p, g, o, hot)
			p.Close()
		}
	}
}

// samePartition compares an open folder with the graph that was written.
func samePartition(t *testing.T, p *Partition, g *graph.Graph, o *owner.Map, hot []uint32) {
	t.Helper()
	for part := range o.Parts() {
		rows, err := p.Part(part)
		if err != nil {
			t.Fatal(err)
		}
		if err := rows.Validate(); err != nil || rows.MaxDegree() != g.MaxDegree() || rows.HasSinks() != g.HasSinks() || rows.Weighted() != g.Weighted() {
			t.Errorf("largest degree %d, sinks %t, weighted %t: %v", rows.MaxDegree(), rows.HasSinks(), rows.Weighted(), err)
		}
		for i, v := range p.Owner.Vertices(part) {
			if o.Owner(v) != part {
				t.Errorf("vertex %d is in part %d, expected %d", v, part, o.Owner(v))
			}
			sameRow(t, rows, uint32(i), g, v)
		}
		rows.Close()
	}
	vertices, rows, err := p.Hot()
	if err != nil || !reflect.DeepEqual(append([]uint32{}, vertices...), append([]uint32{}, hot...)) {
		t.Errorf("hot vertices %v, expected %v: %v", vertices, hot, err)
	}
	for i, v := range vertices {
		sameRow(t, rows, uint32(i), g, v)
	}
	if rows != nil {
		rows.Close()
	}
	degrees, err := p.Degrees()
	for v := range g.NumVertices() {
		if uint64(degrees[v]) != g.Degree(uint32(v)) || err != nil {
			t.Errorf("degree of %d is %d: %v", v, degrees[v], err)
		}
	}
	names, err := p.Names()
	if err != nil || !reflect.DeepEqual(names, g.Names) {
		t.Errorf("names %v, expected %v: %v", names, g.Names, err)
	}
	want, err := factsOf(g, graph.Options{})
	if err != nil || p.GraphFacts != want || p.GraphFacts.MaxDegree != g.MaxDegree() || p.GraphFacts.Vertices != int64(g.NumVertices()) {
		t.Errorf("facts %v, expected %v: %v", p.GraphFacts, want, err)
	}
	if symmetric, err := index.Symmetric(g, graph.Options{}); err != nil || p.Symmetric != symmetric {
		t.Errorf("symmetric: %t, expected %t", p.Symmetric, symmetric)
	}
}

// Equal graphs and assignments have equal hashes, others do not.
func TestContentIsAHash(t *testing.T) {
	g := full(t)
	content := func(o *owner.Map) string {
		p, err := OpenPartition(partitioned(t, g, Partitioning{Owner: o}))
		if err != nil {
			t.Fatal(err)
		}
		defer p.Close()
		return p.Content()
	}
	if a, b := content(byMap(g, 2)), content(byMap(g, 2)); a != b {
		t.Errorf("%s and %s for equal folders", a, b)
	}
	if content(byMap(g, 2)) == content(byMap(g, 3)) || content(byMap(g, 2)) == content(owner.Ranges(g, 2)) {
		t.Error("different folders have equal hashes")
	}
}

// An ordinary graph replaces a partitioned one and the reverse, in one step; foreign files are kept.
func TestPartitionReplaces(t *testing.T) {
	g := full(t)
	hot := []uint32{1}
	p := Partitioning{Owner: byMap(g, 2), Hot: hot}
	folder := partitioned(t, g, p)
	for range 2 {
		if err := WritePartition(g, folder, p, nil); err != nil {
			t.Fatal(err)
		}
	}
	if err := Save(g, folder, nil); err != nil {
		t.Fatal(err)
	}
	if err := WritePartition(g, folder, p, nil); err != nil {
		t.Fatal(err)
	}
	alone(t, folder)
	if err := WritePartition(g, folder, p, &job.Job{Stop: 1}); !errors.Is(err, refuse.ErrInterrupted) {
		t.Error(err)
	}
	alone(t, folder)
	for _, name := range []string{"notes.txt", "part-00001/notes.txt", "hot/owner.npy"} {
		notes := filepath.Join(folder, name)
		if err := os.WriteFile(notes, []byte("mine"), 0o666); err != nil {
			t.Fatal(err)
		}
		if err := WritePartition(g, folder, p, nil); refuse.KindOf(err) != refuse.KindValue || !strings.Contains(err.Error(), name) {
			t.Error(err)
		}
		if err := os.Remove(notes); err != nil {
			t.Fatal(err)
		}
	}
	opened, err := OpenPartition(folder)
	if err != nil {
		t.Fatal(err)
	}
	defer opened.Close()
	samePartition(t, opened, g, p.Owner, hot)
}

// Partial folders of partitioned graphs are removed like those of graphs.
func TestStalePartialPartition(t *testing.T) {
	g, dir := full(t), t.TempDir()
	stale := filepath.Join(dir, ".graph.gonextdoor-0123456789abcdef.partial")
	if err := os.MkdirAll(filepath.Join(stale, "part-00000"), 0o777); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"owner.npy", "part-00000/indptr.npy"} {
		if err := os.WriteFile(filepath.Join(stale, name), nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := Save(g, filepath.Join(dir, "graph"), nil); err != nil {
		t.Fatal(err)
	}
	alone(t, filepath.Join(dir, "graph"))
}

// The folder of a part, and that of all parts, are refused as graphs, with advice.
func TestPartsAreNotGraphs(t *testing.T) {
	g := full(t)
	folder := partitioned(t, g, Partitioning{Owner: byMap(g, 2)})
	for _, path := range []string{folder, filepath.Join(folder, "part-00001")} {
		if _, err := Open(path); refuse.KindOf(err) != refuse.KindFormat || !strings.Contains(err.Error(), "gonextdoor.partition.open") {
			t.Errorf("%s: %v", path, err)
		}
	}
	if _, err := OpenPartition(saved(t, g)); refuse.KindOf(err) != refuse.KindFormat || !strings.Contains(err.Error(), "without partition.json") {
		t.Error(err)
	}
	if _, err := OpenPartition(filepath.Join(folder, "nowhere")); !os.IsNotExist(err) {
		t.Error(err)
	}
	if err := WritePartition(g, folder, Partitioning{Owner: owner.NewMap(3, 2)}, nil); refuse.KindOf(err) != refuse.KindValue ||
		!strings.Contains(err.Error(), "the parts of 3 vertices: expected 4") {
		t.Error(err)
	}
}

func TestPartOutOfRange(t *testing.T) {
	g := full(t)
	p, err := OpenPartition(partitioned(t, g, Partitioning{Owner: byMap(g, 2)}))
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	for _, part := range []int{-1, 2} {
		if _, err := p.Part(part); refuse.KindOf(err) != refuse.KindIndex || !strings.Contains(err.Error(), "expected from 0 to 1") {
			t.Error(err)
		}
	}
}

// A writer refuses a part of the wrong size, and a folder without all parts.
func TestIncompletePartition(t *testing.T) {
	g := full(t)
	folder := filepath.Join(t.TempDir(), "graph")
	w, err := NewPartitionWriter(folder, Partitioning{Owner: byMap(g, 2)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abandon()
	rows, err := build.Selected(g, []uint32{0}, graph.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	if err := w.WritePart(0, rows); err == nil || !strings.Contains(err.Error(), "part 0 has 1 rows, expected 2") {
		t.Error(err)
	}
	if err := w.Close(GraphFacts{Vertices: 4, Edges: 4}, make([]uint32, 4), graph.Names{}); err == nil || !strings.Contains(err.Error(), "the parts have 0 vertices") {
		t.Error(err)
	}
	if _, err := os.Stat(folder); !os.IsNotExist(err) {
		t.Error("an incomplete folder was kept")
	}
}
