package file

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/build"
)

// same compares the arrays of two graphs.
func same(a, b *graph.Graph) error {
	for i := range arrays {
		if x, y := arrays[i].data(a), arrays[i].data(b); !bytes.Equal(x, y) || (x == nil) != (y == nil) {
			return fmt.Errorf("%s differs", arrays[i].name)
		}
	}
	return nil
}

// The graph of a file does not depend on the number of threads: with dense and sparse integer ids, text ids and weights.
func TestThreads(t *testing.T) {
	var gaps, text, weights bytes.Buffer
	const n = 100000
	for i := range n {
		j := i * 7919 % n
		fmt.Fprintf(&gaps, "%d %d\n", 3*i, 3*j)
		if i > n/2 {
			fmt.Fprintf(&gaps, "%d %d\n", i<<33, -j) // from the middle on ids need 64 bits
		}
		fmt.Fprintf(&text, "v%d v%d\n", j, i*31%n)
		fmt.Fprintf(&weights, "%d\t%d\t%d.%d\n", i, j, j, i)
	}
	for name, data := range map[string][]byte{
		"plain": long(n), "gaps": gaps.Bytes(), "text": text.Bytes(), "weights": weights.Bytes(),
	} {
		path := write(t, "a.txt.gz", gzipped(data))
		one, err := Read(path, Options{Threads: 1})
		if err != nil {
			t.Fatal(name, err)
		}
		defer one.Close()
		for _, threads := range []int{2, 3, 8} {
			g, err := Read(path, Options{Threads: threads})
			if err != nil {
				t.Fatal(name, err)
			}
			if err := same(g, one); err != nil {
				t.Errorf("%s, threads %d: %v", name, threads, err)
			}
			g.Close()
		}
	}
}

// Text ids are numbered in the order of their first appearance, across blocks.
func TestOrderOfNames(t *testing.T) {
	var b bytes.Buffer
	for i := range 100000 {
		fmt.Fprintf(&b, "v%d v%d\n", i, i/2)
	}
	g, err := Read(write(t, "a.txt", b.Bytes()), Options{Threads: 4})
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	for u := range g.NumVertices() {
		if want := fmt.Sprintf("v%d", u); nameOf(g, u) != want {
			t.Fatalf("vertex %d is %s", u, nameOf(g, u))
		}
	}
}

// real lists the graphs of ../shared/data with the figures of its README.
var real = []struct {
	name            string
	vertices, edges int
	names           bool
	both            int // edges in both directions, if the first line declares the graph undirected; 0: it does not
}{
	{"wiki-Vote.txt.gz", 7115, 103689, true, 0},
	{"ego-Facebook.txt.gz", 4039, 88234, false, 176468},
	{"email-Enron.txt.gz", 36692, 183831, false, 367662},
	{"cit-HepPh.txt.gz", 34546, 421578, false, 0},
	{"soc-Slashdot0902.txt.gz", 82168, 948464, false, 0},
	{"ego-Twitter.txt.gz", 81306, 1342310, false, 2684606},
	{"pubmed.txt.gz", 19717, 88676, false, 0},
	{"cnr-2000.txt.gz", 325557, 3216152, false, 0},
}

func TestRealGraphs(t *testing.T) {
	folder := filepath.Dir(cnr)
	if _, err := os.Stat(folder); err != nil {
		t.Skip("the real graphs are not there: ", folder)
	}
	for _, r := range real {
		for _, symmetric := range []Answer{No, Unsaid} {
			g, err := Read(filepath.Join(folder, r.name), Options{Symmetric: symmetric})
			if err != nil {
				t.Error(err)
				continue
			}
			edges := r.edges
			if r.both > 0 && symmetric == Unsaid {
				edges = r.both
			}
			if g.NumVertices() != r.vertices || g.NumEdges() != edges || (g.Names.Ints != nil) != r.names {
				t.Errorf("%s: %d vertices, %d edges, named %t", r.name, g.NumVertices(), g.NumEdges(), g.Names.Ints != nil)
			}
			g.Close()
		}
	}
}

// Writing a graph in parts gives the same folder as Save of the complete graph.
func TestWriter(t *testing.T) {
	r := build.RMAT{Scale: 10, EdgeFactor: 8, Seed: 1, Low: 1, High: 2}
	complete, err := r.Graph()
	if err != nil {
		t.Fatal(err)
	}
	defer complete.Close()
	folder := filepath.Join(t.TempDir(), "graph")
	w, err := NewWriter(folder, complete.NumVertices(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for first := 0; first < complete.NumVertices(); first += 100 {
		end := min(first+100, complete.NumVertices())
		lo, hi := complete.Indptr[first], complete.Indptr[end]
		if err := w.AppendRows(Rows{
			Indptr: complete.Indptr[first : end+1], Indices: complete.Indices[lo:hi], Biases: complete.Biases[lo:hi], Scales: complete.Scales[first:end],
		}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	alone(t, folder)
	g, err := Open(folder)
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	if err := g.Validate(); err != nil {
		t.Fatal(err)
	}
	equal(t, g, complete)
	a, _ := os.ReadFile(filepath.Join(folder, recordName))
	b, _ := os.ReadFile(filepath.Join(saved(t, complete), recordName))
	if !reflect.DeepEqual(a, b) {
		t.Errorf("the record is %s, expected %s", a, b)
	}
}

func TestWriterRefusals(t *testing.T) {
	for name, rows := range map[string][]Rows{
		"missing":    {{Indptr: []uint64{0, 0}}},
		"too many":   {{Indptr: []uint64{0, 0, 0, 0}}},
		"span":       {{Indptr: []uint64{0, 1, 1}}},
		"range":      {{Indptr: []uint64{0, 1, 1}, Indices: []uint32{2}}},
		"order":      {{Indptr: []uint64{0, 2, 2}, Indices: []uint32{1, 0}}},
		"decreasing": {{Indptr: []uint64{0, 1, 0}}},
		"biases":     {{Indptr: []uint64{0, 1, 1}, Indices: []uint32{1}, Biases: []uint32{}}},
		"mixed": {{Indptr: []uint64{0, 1}, Indices: []uint32{1}, Biases: []uint32{1}, Scales: []int16{0}},
			{Indptr: []uint64{0, 1}, Indices: []uint32{1}}},
	} {
		folder := filepath.Join(t.TempDir(), "graph")
		w, err := NewWriter(folder, 2, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range rows {
			err = w.AppendRows(r)
		}
		if err == nil {
			err = w.Close()
		}
		if err == nil {
			t.Errorf("%s: not refused", name)
		}
		if entries, _ := os.ReadDir(filepath.Dir(folder)); len(entries) != 0 {
			t.Errorf("%s: left %v", name, entries)
		}
	}
}
