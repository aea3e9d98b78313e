package file

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"gonextdoor/gonextdoor/refuse"
)

// The report describes the decisions, with a warning for those that a user may not expect.
func TestReport(t *testing.T) {
	for _, c := range []struct {
		file, text string
		options    Options
		source     string
		warning    string
	}{
		{"edges.csv", "node1,node2,weight\na,b,2\n", Options{}, "edges.csv: columns node1 -> node2, weight 'weight'; header recognised; symmetric=False", ""},
		{"e.txt", "0 1 2 3\n", Options{Columns: Choices{Time: numbered(3)}}, "e.txt: columns 0 -> 1, weight column 2, time column 3; no header; symmetric=False", ""},
		{"e.csv", "a,b\nc,d\n", Options{}, "columns 0 -> 1; first line read as an edge; symmetric=False",
			"e.csv: line 1, 'a,b', may be a header or an edge, and was read as an edge: header=True or header=False decides it"},
		{"e.csv", "a,b\nb,d\n", Options{}, "columns 0 -> 1; no header; symmetric=False", ""},
		{"e.csv", "a,b\n", Options{}, "columns 0 -> 1; no header; symmetric=False", ""},
		{"e.csv", "a,b\nc,d\n", Options{Header: No}, "columns 0 -> 1; header=False; symmetric=False", ""},
		{"e.csv", "user,b\nuser,d\n", Options{}, "first line read as an edge", "may be a header or an edge"},
		{"e.csv", "head,relation,tail\na,likes,b\n", Options{}, "columns head -> tail; not read: column 'relation'; header recognised",
			"column 'relation' is not read: labels are integers"},
		{"e.txt", "0 1 1082040961\n", Options{}, "weight column 2", "column 2 was read as weights, but 1082040961 looks like a time: time=2 reads times"},
		{"e.txt", "0 1 1082040961\n", Options{Columns: Choices{Weight: used(Required)}}, "weight column 2", ""},
		{"e.txt", "# Undirected graph: x\n0 1\n", Options{}, "symmetric=True, as line 1 says: \"# Undirected graph: x\"", ""},
		{"e.txt", "# Undirected graph: x\n0 1\n", Options{Symmetric: No}, "symmetric=False, although line 1 says", ""},
		{"e.txt", "# Undirected graph: x\n0 1\n1 0\n", Options{}, "symmetric=False, since the file lists both directions of each edge; line 1 says", ""},
		{"e.txt", "# Undirected graph: x\n0 1\n", Options{Symmetric: Yes}, "no header; symmetric=True", ""},
		{"e.mtx", "%%MatrixMarket matrix coordinate real symmetric\n1 1 0\n", Options{}, "e.mtx: columns row -> column, weight 'value'; symmetric=True, as line 1 says: symmetric", ""},
	} {
		var r Report
		c.options.Report = &r
		g, err := Read(write(t, c.file, []byte(c.text)), c.options)
		if err != nil {
			t.Errorf("%q: %v", c.text, err)
			continue
		}
		g.Close()
		if !strings.Contains(r.Source, c.source) {
			t.Errorf("%q: %q, expected %q", c.text, r.Source, c.source)
		}
		if len(r.Warnings) > 1 || (len(r.Warnings) == 1) != (c.warning != "") || c.warning != "" && !strings.Contains(r.Warnings[0], c.warning) {
			t.Errorf("%q: warnings %q, expected %q", c.text, r.Warnings, c.warning)
		}
	}
}

// Times and labels are read from every text format, in any column, with integer and text ids.
func TestTimesAndLabels(t *testing.T) {
	for _, c := range []struct {
		file, text string
		choices    Choices
	}{
		{"a.csv", "time,source,target,weight,type\n7,0,1,2,-3\n-8,1,0,4,5\n", Choices{}},
		{"a.csv", "time,source,target,weight,type\n7,a,b,2,-3\n-8,b,a,4,5\n", Choices{}},
		{"a.csv", "\"time\",source,target,weight,type\n7,\"a\",b,\"2\",-3\n\"-8\",b,a,4,\"5\"\n", Choices{}},
		{"a.tsv", "0\t1\t2\t7\t-3\n1\t0\t4\t-8\t5\n", Choices{Weight: numbered(2), Time: numbered(3), Label: numbered(4)}},
		{"a.txt", "0 1 2 7 -3\n1 0 4 -8 5\n", Choices{Weight: numbered(2), Time: numbered(3), Label: numbered(4)}},
		{"a.txt", "-1 5000000000 2 7 -3\n5000000000 -1 4 -8 5\n", Choices{Weight: numbered(2), Time: numbered(3), Label: numbered(4)}},
	} {
		g, err := Read(write(t, c.file, []byte(c.text)), Options{Columns: c.choices})
		if err != nil {
			t.Errorf("%q: %v", c.text, err)
			continue
		}
		if !slices.Equal(g.Times, []int64{7, -8}) || !slices.Equal(g.Labels, []int32{-3, 5}) || !g.Weighted() {
			t.Errorf("%q: times %v, labels %v", c.text, g.Times, g.Labels)
		}
		g.Close()
	}
	for _, c := range []struct {
		text  string
		label Choice
		time  Choice
	}{{"%%MatrixMarket matrix coordinate integer general\n2 2 1\n1 2 7\n", named("value"), Choice{}},
		{"%%MatrixMarket matrix coordinate integer general\n2 2 1\n1 2 7\n", Choice{}, numbered(2)}} {
		g, err := Read(write(t, "a.mtx", []byte(c.text)), Options{Columns: Choices{Label: c.label, Time: c.time}})
		if err != nil || g.Weighted() || len(g.Labels)+len(g.Times) != 1 {
			t.Fatalf("%q: %v", c.text, err)
		}
		g.Close()
	}
}

// Records with line ends in quotes are read correctly across the ends of blocks, and errors have the right line numbers.
func TestQuotedBlocks(t *testing.T) {
	const edges = 60000
	var b bytes.Buffer
	b.WriteString("source,target,weight\n")
	for i := range edges {
		fmt.Fprintf(&b, "\"n\n\"\"%d\",\"m, %d\",%d\n", i%997, i%1009, i%7+1)
	}
	for _, name := range []string{"a.csv", "a"} {
		for threads := 1; threads <= 3; threads++ {
			g, err := Read(write(t, name, b.Bytes()), Options{Threads: threads})
			if err != nil {
				t.Fatal(err)
			}
			if g.NumEdges() != edges || g.NumVertices() != 997+1009 || nameOf(g, 0) != "n\n\"0" || nameOf(g, 1) != "m, 0" {
				t.Errorf("%d vertices, %d edges, %q, %q", g.NumVertices(), g.NumEdges(), nameOf(g, 0), nameOf(g, 1))
			}
			g.Close()
			for _, bad := range []string{"\"x\",\"y\",z\n", "\"x\n", "\"x\"y,z,1\n"} {
				text := append(bytes.Clone(b.Bytes()), bad...)
				path := write(t, name, append(text, b.Bytes()[len("source,target,weight\n"):]...))
				_, err := Read(path, Options{Threads: threads})
				want := fmt.Sprintf("%s, line %d: ", path, 2*edges+2)
				if refuse.KindOf(err) != refuse.KindFormat || !strings.HasPrefix(err.Error(), want) {
					t.Errorf("%q: %v, expected %s", bad, err, want)
				}
			}
		}
	}
}

// Consecutive long lines are read correctly with any number of threads.
func TestLongLines(t *testing.T) {
	var b bytes.Buffer
	for i := range 24 {
		fmt.Fprintf(&b, "%s%d b\n", strings.Repeat("x", []int{10, 300000, 600000, 900000}[i%4]), i)
	}
	for threads := 1; threads <= 3; threads++ {
		g, err := Read(write(t, "a.txt", b.Bytes()), Options{Threads: threads})
		if err != nil {
			t.Fatal(err)
		}
		if g.NumVertices() != 25 || g.NumEdges() != 24 {
			t.Errorf("%d vertices, %d edges", g.NumVertices(), g.NumEdges())
		}
		g.Close()
	}
}
