package file

import (
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/build"
	"gonextdoor/gonextdoor/graph/owner"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/refuse"
)

// edgeTable is a list of edges with all attributes.
type edgeTable struct {
	src, dst []int32
	weights  []float64
	labels   []int32
	times    []int64
}

func newEdgeTable(edges, vertices int) *edgeTable {
	r := rand.New(rand.NewPCG(8, 9))
	e := &edgeTable{}
	for i := range edges {
		e.src, e.dst = append(e.src, int32(i*7%vertices)), append(e.dst, int32(r.IntN(vertices)))
		e.weights = append(e.weights, float64(r.IntN(4))*r.ExpFloat64())
		e.labels, e.times = append(e.labels, int32(r.IntN(9))), append(e.times, r.Int64N(1000))
	}
	return e
}

// block returns edges lo ... hi-1.
func (e *edgeTable) block(lo, hi int) build.EdgeBlock {
	return build.EdgeBlock{
		First: uint64(lo), Sources: graph.ArrayOf(e.src[lo:hi]), Targets: graph.ArrayOf(e.dst[lo:hi]),
		Weights: graph.ArrayOf(e.weights[lo:hi]), Labels: graph.ArrayOf(e.labels[lo:hi]), Times: graph.ArrayOf(e.times[lo:hi]),
	}
}

// each calls f with all edges in blocks.
func (e *edgeTable) each(t *testing.T, f func(build.EdgeBlock) error) {
	t.Helper()
	for lo := 0; lo < len(e.src); lo += 333 {
		if err := f(e.block(lo, min(lo+333, len(e.src)))); err != nil {
			t.Fatal(err)
		}
	}
}

// counted counts the edges.
func (e *edgeTable) counted(t *testing.T, symmetric bool) *build.RowCounter {
	t.Helper()
	c := build.NewRowCounter(e.block(0, 0), symmetric, 1<<32)
	t.Cleanup(c.Free)
	e.each(t, func(b build.EdgeBlock) error {
		_, err := c.Count(b)
		return err
	})
	if err := c.Number(); err != nil {
		t.Fatal(err)
	}
	return c
}

// whole builds the graph in memory.
func (e *edgeTable) whole(t *testing.T, symmetric bool) *graph.Graph {
	t.Helper()
	b := e.block(0, len(e.src))
	g, err := build.FromEdges(build.Edges{
		Sources: b.Sources, Targets: b.Targets, Weights: b.Weights, Labels: b.Labels, Times: b.Times,
		NumVertices: build.Unknown, Symmetric: symmetric,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(g.Close)
	return g
}

// files returns the content of all files below a folder, by path.
func files(t *testing.T, folder string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(folder, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		all[strings.TrimPrefix(path, folder)] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// sameFolders compares two folders file by file.
func sameFolders(t *testing.T, got, want string) {
	t.Helper()
	g, w := files(t, got), files(t, want)
	for name, text := range w {
		if g[name] != text {
			t.Errorf("%s differs, or is missing", name)
		}
	}
	for name := range g {
		if _, ok := w[name]; !ok {
			t.Errorf("%s is not expected", name)
		}
	}
}

// A conversion in several ranges writes the folder that Save writes, to the byte.
func TestConvertWhole(t *testing.T) {
	e := newEdgeTable(5000, 211)
	for _, symmetric := range []bool{false, true} {
		g, c := e.whole(t, symmetric), e.counted(t, symmetric)
		g.Names.Ints = make([]int64, g.NumVertices())
		for _, budget := range []int64{0, 4 * 32 * 5000 / 10} {
			folder := filepath.Join(t.TempDir(), "graph")
			s, err := ConvertWhole(folder, c, g.Names, budget, nil)
			if err != nil {
				t.Fatal(err)
			}
			if ranges := s.owner.Parts(); (ranges > 2) != (budget > 0) {
				t.Errorf("%d ranges", ranges)
			}
			e.each(t, s.Add)
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			alone(t, folder)
			sameFolders(t, folder, saved(t, g))
		}
	}
}

// Ids that are the positions have no file.
func TestConvertInOrder(t *testing.T) {
	e := &edgeTable{src: []int32{0, 0, 1, 2}, dst: []int32{1, 2, 0, 1}, weights: make([]float64, 4), labels: make([]int32, 4), times: make([]int64, 4)}
	g, c := e.whole(t, false), e.counted(t, false)
	folder := filepath.Join(t.TempDir(), "graph")
	s, err := ConvertWhole(folder, c, graph.Names{}, 60, nil)
	if err != nil {
		t.Fatal(err)
	}
	e.each(t, s.Add)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	sameFolders(t, folder, saved(t, g))
}

// A conversion to parts writes the folder that WritePartition writes, to the byte, facts included.
func TestConvertParts(t *testing.T) {
	e := newEdgeTable(5000, 211)
	for _, symmetric := range []bool{false, true} {
		g, c := e.whole(t, symmetric), e.counted(t, symmetric)
		g.Names.Text, g.Names.Offsets = []byte("x"), append(make([]uint64, g.NumVertices()), 1)
		hot, err := owner.HotOf(c.Degrees, .2)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range []Partitioning{{Owner: owner.Ranges(g, 4)}, {Owner: owner.RangesOf(c.Degrees, 4), Hot: hot}, {Owner: byMap(g, 3), Hot: hot}} {
			folder := filepath.Join(t.TempDir(), "graph")
			s, err := ConvertParts(folder, c, g.Names, p, nil)
			if err != nil {
				t.Fatal(err)
			}
			for i := range s.spills {
				s.spills[i].limit = 97 // several blocks
			}
			e.each(t, s.Add)
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			alone(t, folder)
			sameFolders(t, folder, partitioned(t, g, p))
		}
	}
}

func TestConversionsAreAbandoned(t *testing.T) {
	e := newEdgeTable(500, 21)
	c := e.counted(t, false)
	dir := t.TempDir()
	j := &job.Job{}
	s, err := ConvertParts(filepath.Join(dir, "graph"), c, graph.Names{}, Partitioning{Owner: owner.RangesOf(c.Degrees, 2)}, j)
	if err != nil {
		t.Fatal(err)
	}
	s.spills[0].limit = 10
	if err := s.Add(e.block(0, 333)); err != nil {
		t.Fatal(err)
	}
	j.Stop = 1
	if err := s.Add(e.block(333, 500)); !errors.Is(err, refuse.ErrInterrupted) {
		t.Error(err)
	}
	if left := files(t, dir); len(left) > 0 {
		t.Errorf("%v was left", left)
	}
	// Edges are missing in the second pass.
	if s, err = ConvertWhole(filepath.Join(dir, "graph"), c, graph.Names{}, 0, nil); err != nil {
		t.Fatal(err)
	}
	if err := s.Add(e.block(0, 333)); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err == nil || !strings.Contains(err.Error(), "the edges changed between the two passes") {
		t.Error(err)
	}
	if left := files(t, dir); len(left) > 0 {
		t.Errorf("%v was left", left)
	}
	if _, err := ConvertParts(dir, c, graph.Names{}, Partitioning{Owner: owner.NewMap(3, 2)}, nil); err == nil || !strings.Contains(err.Error(), "the parts of 3 vertices") {
		t.Error(err)
	}
}

// Spills that a dead process left are removed with its partial folder.
func TestStaleSpill(t *testing.T) {
	dir := t.TempDir()
	stale := filepath.Join(dir, ".graph.gonextdoor-0123456789abcdef.partial")
	if err := errors.Join(os.Mkdir(stale, 0o777), os.WriteFile(filepath.Join(stale, "part-00003"+spillSuffix), nil, 0o666)); err != nil {
		t.Fatal(err)
	}
	if err := Save(full(t), filepath.Join(dir, "graph"), nil); err != nil {
		t.Fatal(err)
	}
	alone(t, filepath.Join(dir, "graph"))
}

// The fingerprint of symmetry agrees with a comparison of all edges.
func TestSymmetryFingerprint(t *testing.T) {
	for _, c := range []struct {
		src, dst  []int32
		symmetric bool
	}{
		{nil, nil, true},
		{[]int32{0, 1}, []int32{1, 0}, true},
		{[]int32{0, 1, 0}, []int32{1, 0, 1}, true}, // a repeated edge
		{[]int32{2}, []int32{2}, true},
		{[]int32{0}, []int32{1}, false},
		{[]int32{0, 1, 2}, []int32{1, 2, 0}, false},
		{[]int32{0, 1, 0, 2}, []int32{1, 0, 2, 1}, false},
	} {
		g, err := build.FromEdges(build.Edges{Sources: graph.ArrayOf(c.src), Targets: graph.ArrayOf(c.dst), NumVertices: 3})
		if err != nil {
			t.Fatal(err)
		}
		var s symmetry
		for _, part := range [][]uint32{{1}, {0, 2}} {
			rows, err := build.Selected(g, part, graph.Options{})
			if err != nil {
				t.Fatal(err)
			}
			s.add(rows, part)
			rows.Close()
		}
		if (s == symmetry{}) != c.symmetric {
			t.Errorf("%v -> %v: %v, expected symmetric: %t", c.src, c.dst, s, c.symmetric)
		}
		facts, err := factsOf(g, graph.Options{})
		if err != nil || facts.Symmetric != c.symmetric || facts.Edges != int64(len(c.src)) {
			t.Errorf("%v: %v", facts, err)
		}
		g.Close()
	}
}
