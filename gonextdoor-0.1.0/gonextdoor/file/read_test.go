package file

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/offheap"
)

func gzipped(text []byte) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	z.Write(text)
	z.Close()
	return b.Bytes()
}

func zstandard(text []byte) []byte {
	z, err := zstd.NewWriter(nil)
	if err != nil {
		panic(err)
	}
	return z.EncodeAll(text, nil)
}

// write puts a file into the test's folder.
func write(t testing.TB, name string, data []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, data, 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// described formats a graph as "u: v v(weight) ...;" per vertex, with the names of the vertices.
func described(g *graph.Graph) string {
	var b strings.Builder
	for u := range g.NumVertices() {
		fmt.Fprintf(&b, "%s:", nameOf(g, u))
		first, end := g.Row(uint32(u))
		for p := first; p < end; p++ {
			fmt.Fprintf(&b, " %s", nameOf(g, int(g.Indices[p])))
			if g.Weighted() {
				fmt.Fprintf(&b, "(%.4g)", g.Weight(uint32(u), p))
			}
		}
		b.WriteString("; ")
	}
	return strings.TrimSpace(b.String())
}

func nameOf(g *graph.Graph, u int) string {
	switch {
	case g.Names.Ints != nil:
		return fmt.Sprint(g.Names.Ints[u])
	case g.Names.Offsets != nil:
		return string(g.Names.Text[g.Names.Offsets[u]:g.Names.Offsets[u+1]])
	}
	return fmt.Sprint(u)
}

var goldens = []struct {
	name, file, text string
	options          Options
	want             string
}{
	{"snap", "a.txt", "# Nodes: 3\n%c\n0\t1\n0 2\r\n\n  2   0 \n1 1", Options{}, "0: 1 2; 1: 1; 2: 0;"},
	{"byte order mark", "a.txt", "\xef\xbb\xbf0 1\n", Options{}, "0: 1; 1:;"},
	{"gaps", "a.txt", "7 5\n5 100\n", Options{}, "5: 100; 7: 5; 100:;"},
	{"negative and huge", "a.txt", "-3 9223372036854775807\n12345678 1234567890123\n", Options{},
		"-3: 9223372036854775807; 12345678: 1234567890123; 1234567890123:; 9223372036854775807:;"},
	{"huge but close", "a.txt", "100000000001 100000000003\n", Options{}, "100000000001: 100000000003; 100000000003:;"},
	{"text ids", "a.txt", "b a\na c\nb é\n", Options{}, "b: a é; a: c; c:; é:;"},
	{"weights", "a.txt", "0 1 0.5\n1 0 2\n0 0 1e-1\n", Options{}, "0: 0(0.1) 1(0.5); 1: 0(2);"},
	{"weights not wanted", "a.txt", "0 1 -5\n", Options{Columns: Choices{Weight: Choice{Use: Ignored}}}, "0: 1; 1:;"},
	{"third column no number", "a.txt", "0 1 {}\n1 0 {}\n", Options{}, "0: 1; 1: 0;"},
	{"four columns", "a.txt", "0 1 2 3\n", Options{}, "0: 1; 1:;"},
	{"four columns weighted", "a.txt", "0 1 2 x\n", Options{Columns: Choices{Weight: Choice{Use: Required}}}, "0: 1(2); 1:;"},
	{"chosen columns", "a.txt", "9 2 0.5 1\n", Options{Columns: Choices{Source: numbered(1), Target: numbered(3), Weight: numbered(2)}}, "1:; 2: 1(0.5);"},
	{"carriage returns alone", "a.txt", "0 1\r1 2\r2 3\r", Options{}, "0: 1; 1: 2; 2: 3; 3:;"},
	{"carriage returns alone, csv", "a.csv", "source,target\r0,1\r1,2", Options{}, "0: 1; 1: 2; 2:;"},
	{"undirected", "a.txt", "# Undirected graph: a\n0 1\n2 2\n", Options{}, "0: 1; 1: 0; 2: 2;"},
	{"undirected, csv", "a.csv", "# undirected\n0,1\n", Options{}, "0: 1; 1: 0;"},
	{"undirected of konect", "out.a", "% sym unweighted\n0 1\n", Options{}, "0: 1; 1: 0;"},
	{"undirected, declined", "a.txt", "# Undirected graph: a\n0 1\n", Options{Symmetric: No}, "0: 1; 1:;"},
	{"undirected in both directions", "a.txt", "# Undirected graph: a\n0 1\n1 0\n1 2\n2 1\n", Options{}, "0: 1; 1: 0 2; 2: 1;"},
	{"said directed", "a.txt", "# Directed graph (each unordered pair of nodes is saved once)\n0 1\n", Options{}, "0: 1; 1:;"},
	{"matrix symmetric, declined", "a.mtx", "%%MatrixMarket matrix coordinate pattern symmetric\n2 2 1\n2 1\n", Options{Symmetric: No}, "0:; 1: 0;"},
	{"matrix in small letters", "a.txt", "%%matrixmarket matrix coordinate real general\n3 3 1\n1 1 5\n", Options{}, "0: 0(5); 1:; 2:;"},
	{"text header", "a.txt", "node1 node2 weight\nalice bob 2.5\n", Options{}, "alice: bob(2.5); bob:;"},
	{"header of unknown names", "a.csv", "x,y,z\nalice,bob,2.5\n", Options{}, "alice: bob(2.5); bob:;"},
	{"header said", "a.csv", "x,y\nalice,bob\n", Options{Header: Yes}, "alice: bob; bob:;"},
	{"header denied", "a.csv", "source,target\nalice,bob\n", Options{Header: No}, "source: target; target:; alice: bob; bob:;"},
	{"header by a chosen name", "a.csv", "x,y,z\nalice,bob,c\n", Options{Columns: Choices{Source: named("z"), Target: named("x")}}, "c: alice; alice:;"},
	{"known names that are ids", "a.txt", "u v\nv w\nw u\n", Options{}, "u: v; v: w; w: u;"},
	{"csv lines in quotes", "a.csv", "source,target\n\"a\nb\",c\n\"c\",\" d \"\n", Options{}, "a\nb: c; c:  d ;  d :;"},
	{"csv quoted integers", "a.csv", "\"source\",\"target\",\"note\"\n\"0\",\"1\",\"x, \"\"y\"\"\"\n1,0,\n", Options{}, "0: 1; 1: 0;"},
	{"symmetric", "a.txt", "0 1\n2 2\n", Options{Symmetric: Yes}, "0: 1; 1: 0; 2: 2;"},
	{"csv", "a.csv", "0,1\n1,2\n", Options{}, "0: 1; 1: 2; 2:;"},
	{"csv header", "a.csv", "target,value,source\n1,3,0\n", Options{}, "0: 1(3); 1:;"},
	{"csv header of four", "a.csv", "id,From,To,W\nx,0,1,2.5\n", Options{}, "0: 1(2.5); 1:;"},
	{"csv unknown header", "a.csv", "a,b\n1,0\n", Options{}, "0:; 1: 0;"},
	{"csv quotes", "a.csv", "\"x, y\",\"say \"\"hi\"\"\"\n \"x, y\", z \n", Options{}, "x, y: say \"hi\" z; say \"hi\":; z:;"},
	{"csv hash ids", "a.csv", "# made by hand\na,b\n#tag,c\n", Options{}, "a: b; b:; #tag: c; c:;"},
	{"csv semicolons", "a.csv", "0;1\n", Options{}, "0: 1; 1:;"},
	{"csv by content", "a.edges", "0,1\n", Options{}, "0: 1; 1:;"},
	{"tsv spaces", "a.tsv", "New York\tLos Angeles\n", Options{}, "New York: Los Angeles; Los Angeles:;"},
	{"format given", "a.txt", "u,v\n0,1\n", Options{Format: "csv"}, "0: 1; 1:;"},
	{"matrix general", "a.mtx", "%%MatrixMarket matrix coordinate real general\n%c\n3 3 2\n1 2 0.5\n3 1 2\n", Options{}, "0: 1(0.5); 1:; 2: 0(2);"},
	{"matrix symmetric pattern", "a", "%%MatrixMarket matrix coordinate pattern symmetric\n4 4 2\n2 1\n3 3\n", Options{}, "0: 1; 1: 0; 2: 2; 3:;"},
	{"matrix integer unweighted", "a.mtx", "%%MatrixMarket Matrix Coordinate Integer General\n2 2 1\n1 2 -7\n", Options{Columns: Choices{Weight: Choice{Use: Ignored}}}, "0: 1; 1:;"},
	{"matrix without entries", "a.mtx", "%%MatrixMarket matrix coordinate pattern general\n2 2 0\n", Options{}, "0:; 1:;"},
}

func TestGoldens(t *testing.T) {
	live := offheap.Live()
	for _, c := range goldens {
		for coding, code := range map[string]func([]byte) []byte{
			"": func(b []byte) []byte { return b }, ".gz": gzipped, ".zst": zstandard,
		} {
			for threads := 1; threads <= 2; threads++ {
				c.options.Threads = threads
				g, err := Read(write(t, c.file+coding, code([]byte(c.text))), c.options)
				if err != nil {
					t.Errorf("%s%s: %v", c.name, coding, err)
					continue
				}
				if got := described(g); got != c.want {
					t.Errorf("%s%s: %s, expected %s", c.name, coding, got, c.want)
				}
				g.Close()
			}
		}
	}
	if n := offheap.Live(); n != live {
		t.Errorf("%d arrays were not freed", n-live)
	}
}

// The compression is detected from the content, regardless of the file name.
func TestCompressionByContent(t *testing.T) {
	for _, data := range [][]byte{gzipped([]byte("0 1\n")), zstandard([]byte("0 1\n")), []byte("0 1\n")} {
		for _, name := range []string{"a.txt", "a.gz", "a.txt.zst"} {
			g, err := Read(write(t, name, data), Options{})
			if err != nil {
				t.Fatal(err)
			}
			g.Close()
		}
	}
}

// A gzip file may have several members, as written by bgzip or `cat a.gz b.gz`.
func TestMembers(t *testing.T) {
	g, err := Read(write(t, "a.gz", append(gzipped([]byte("0 1\n1 ")), gzipped([]byte("2\n"))...)), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	if got := described(g); got != "0: 1; 1: 2; 2:;" {
		t.Error(got)
	}
}
