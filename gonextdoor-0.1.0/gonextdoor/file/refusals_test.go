package file

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/offheap"
	"gonextdoor/gonextdoor/refuse"
)

var refusals = []struct {
	name, file, text string
	options          Options
	want             string
}{
	{"empty", "a.txt", "", Options{}, "the file is empty"},
	{"empty in gzip", "a.gz", string(gzipped(nil)), Options{}, "the file is empty after decompression"},
	{"comments only", "a.txt", "# a\n\n% b\n", Options{}, "there is no edge in the file, only 3 blank, comment or header lines"},
	{"no id", "a.txt", "0 1\n# c\n0 x\n", Options{}, `, line 3: "0 x": "x" is not an integer, but the ids of the first edge are`},
	{"one column", "a.txt", "0\n", Options{}, `, line 1: "0": it has 1 column, expected two ids`},
	{"columns", "a.txt", "0 1\n0 1 2\n", Options{}, `, line 2: "0 1 2": it has 3 columns, expected 2 as in the lines before`},
	{"fewer columns", "a.txt", "0 1 2\r\n0 1\r\n", Options{}, `, line 2: "0 1": it has 2 columns, expected 3`},
	{"beyond int64", "a.txt", "0 1\n0 9223372036854775808\n", Options{}, "line 2: \"0 9223372036854775808\": the id 9223372036854775808 does not fit in 64 bits"},
	{"beyond int64 at first", "a.txt", "99999999999999999999 1\n", Options{}, "line 1: \"99999999999999999999 1\": the id 99999999999999999999 does not fit in 64 bits"},
	{"negative weight", "a.txt", "0 1 1\n0 1 -0.5\n", Options{}, "line 2: \"0 1 -0.5\": a weight must be finite and not negative; weight=False reads the edges without weights"},
	{"nan weight", "a.txt", "0 1 1\n0 1 nan\n", Options{}, "line 2: \"0 1 nan\": a weight must be finite"},
	{"infinite weight", "a.txt", "0 1 1\n0 1 1e999\n", Options{}, "line 2: \"0 1 1e999\": a weight must be finite"},
	{"no weight", "a.txt", "0 1 1\n0 1 x\n", Options{}, "line 2: \"0 1 x\": the weight is not a number; weight=False"},
	{"no weights", "a.txt", "0 1\n", Options{Columns: Choices{Weight: Choice{Use: Required}}}, "weight=True: there is no column of weights; the columns are numbered 0 to 1, without names"},
	{"underflow", "a.txt", "0 1 1e-400\n0 2 1\n", Options{}, "line 1: \"0 1 1e-400\": the weight is not 0, but too small"},
	{"hexadecimal underflow", "a.txt", "0 1 1\n0 2 0x1ep-2000\n", Options{}, "line 2: \"0 2 0x1ep-2000\": the weight is not 0"},
	{"digits underflow", "a.txt", "0 1 1\n0 2 0." + strings.Repeat("0", 400) + "1\n", Options{}, "the weight is not 0, but too small"},
	{"mixed line ends", "a.txt", "0 1\r1 2\n2 3\n", Options{}, "line 1: \"0 1\\r1 2\": it has a carriage return inside"},
	{"doubled column", "a.csv", "source,source,target\n0,1,2\n", Options{}, "column 0 ('source') and column 1 ('source') may each hold the source: choose one, for example source=0"},
	{"no such column", "a.csv", "source,target\n0,1\n", Options{Columns: Choices{Weight: named("W")}}, "weight=\"W\": there is no column of that name; the columns are 'source', 'target'"},
	{"time is text", "a.csv", "source,target,time\n0,1,5\n1,0,x\n", Options{}, "line 3: \"1,0,x\": the time \"x\" is not an integer of 64 bits; time=False"},
	{"label is large", "a.csv", "source,target,label\n0,1,3000000000\n", Options{}, "the label \"3000000000\" is not an integer of 32 bits; label=False"},
	{"quote inside", "a.csv", "a,b\n5\" pipe,b\n", Options{Header: No}, "line 2: \"5\\\" pipe,b\": there is a quote inside a field"},
	{"json", "a.json", "{\"nodes\": []}\n", Options{}, "looks like JSON: read it with networkx (networkx.node_link_graph) and use Graph.from_networkx"},
	{"json lines", "a.json", "{\n  \"directed\": false,\n", Options{}, "looks like JSON"},
	{"json in one line", "a.json", "[[0, 1], " + strings.Repeat("[0, 1], ", 1<<18) + "[0, 1]]\n", Options{}, "looks like JSON"},
	{"graphml", "a.graphml", "<?xml version='1.0'?>\n<graphml xmlns='x'>\n", Options{}, "looks like GraphML: read it with networkx (networkx.read_graphml)"},
	{"gexf", "a.gexf", "<gexf version='1.2'>\n", Options{}, "looks like GEXF"},
	{"gml", "a.gml", "graph [\n", Options{}, "looks like GML"},
	{"pajek", "a.net", "*Vertices 3\n", Options{}, "looks like a Pajek file"},
	{"dot", "a.dot", "digraph G {\n", Options{}, "looks like Graphviz DOT"},
	{"web page", "a.txt", "<!DOCTYPE html>\n", Options{}, "looks like a web page"},
	{"adjacency list", "a.adj", "0 1 2\n1 2\n", Options{}, "line 2: \"1 2\": it has 2 columns, expected 3 as in the lines before; if each line lists the neighbours"},
	{"matrix as text", "a.mtx", "%%MatrixMarket matrix coordinate pattern general\n1 1 0\n", Options{Format: "csv"}, "this is a Matrix Market file"},
	{"matrix header", "a.mtx", "%%MatrixMarket matrix coordinate pattern general\n1 1 0\n", Options{Header: Yes}, "header=True: a Matrix Market file has no line"},
	{"matrix label", "a.mtx", "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 1.5\n", Options{Columns: Choices{Label: numbered(2)}}, "line 3: \"1 1 1.5\": the label"},
	{"nul", "a.txt", "0 1\n0\x001\n", Options{}, "line 2: \"0\\x001\": it has a NUL byte"},
	{"nul at first", "a.txt", "\x00\x01\x02\n", Options{}, "line 1: \"\\x00\\x01\\x02\": it has a NUL byte"},
	{"no utf-8", "a.txt", "a b\n\xff b\n", Options{}, "line 2: \"\\xff b\": an id is not UTF-8"},
	{"long line", "a.txt", "0 1\n" + strings.Repeat("1", 1<<20) + " 2\n", Options{}, "line 2: \"" + strings.Repeat("1", 60) + "...\": a line of more than 1 MB"},
	{"long first line", "a.txt", strings.Repeat("#", 1<<20) + "\n0 1\n", Options{}, "line 1: \"" + strings.Repeat("#", 60) + "...\": a line of more than 1 MB"},
	{"quote", "a.csv", "a,b\n\"a,b\n", Options{}, "line 2: \"\\\"a,b\": a quoted field does not end"},
	{"behind quote", "a.csv", "a,b\n\"a\"x,b\n", Options{}, "line 2: \"\\\"a\\\"x,b\": a quoted field does not end, or text follows its closing quote"},
	{"empty weight at first", "a.csv", "src,dst,weight\n0,1,\n1,0,3\n", Options{}, "line 2: \"0,1,\": the weight is not a number"},
	{"empty id", "a.csv", "a,b\n,b\n", Options{}, "line 2: \",b\": an id is empty"},
	{"header columns", "a.csv", "src,dst\n0,1,2\n", Options{}, "line 2: \"0,1,2\": it has 3 columns, the header has 2 columns"},
	{"header only", "a.csv", "src,dst\n", Options{}, "there is no edge in the file"},
	{"bzip2", "a.txt", "BZh91AY", Options{}, "is compressed with bzip2"},
	{"parquet", "a.parquet", "PAR1....", Options{}, "is a parquet file"},
	{"npz", "a.npz", "PK\x03\x04....", Options{}, "is a zip archive"},
	{"utf-16", "a.txt", "\xff\xfe0\x00", Options{}, "is UTF-16 text"},
	{"not gzip", "a.gz", "\x1f\x8b\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00", Options{}, "the gzip data is damaged"},
	{"complex", "a.mtx", "%%MatrixMarket matrix coordinate complex general\n1 1 0\n", Options{}, "complex weights have no meaning here"},
	{"skew", "a.mtx", "%%MatrixMarket matrix coordinate real skew-symmetric\n1 1 0\n", Options{}, "half of the weights are negative"},
	{"array", "a.mtx", "%%MatrixMarket matrix array real general\n1 1\n", Options{}, "a dense array is not a list of edges"},
	{"banner", "a.mtx", "1 1 0\n", Options{}, `line 1: "1 1 0": expected "%%MatrixMarket`},
	{"size line", "a.mtx", "%%MatrixMarket matrix coordinate real general\n%\n2 2\n", Options{}, `line 3: "2 2": expected the size line`},
	{"not square", "a.mtx", "%%MatrixMarket matrix coordinate real general\n2 3 1\n1 1 1\n", Options{}, "is square"},
	{"few entries", "a.mtx", "%%MatrixMarket matrix coordinate pattern general\n2 2 3\n1 1\n", Options{}, "the file ends after 1 of 3 entries"},
	{"no entries", "a.mtx", "%%MatrixMarket matrix coordinate pattern general\n2 2 3\n", Options{}, "the file ends after 0 of 3 entries"},
	{"many entries", "a.mtx", "%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 1\n1 2\n", Options{}, "the file has 2 entries, but its size line has 1"},
	{"row 0", "a.mtx", "%%MatrixMarket matrix coordinate pattern general\n2 2 1\n0 1\n", Options{}, "line 3: \"0 1\": 0 is not a row or column of a matrix of size 2"},
	{"row 3", "a.mtx", "%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 3\n", Options{}, "line 3: \"1 3\": 3 is not a row or column"},
	{"row huge", "a.mtx", "%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 -9223372036854775808\n", Options{}, "is not a row or column"},
	{"huge matrix", "a.mtx", "%%MatrixMarket matrix coordinate pattern general\n9999999999 9999999999 1\n1 1\n", Options{}, "more rows than a graph can have vertices"},
	{"pattern weighted", "a.mtx", "%%MatrixMarket matrix coordinate pattern general\n2 2 0\n", Options{Columns: Choices{Weight: Choice{Use: Required}}}, "weight=True: there is no column of weights; the columns are 'row', 'column'"},
}

func TestRefusals(t *testing.T) {
	live := offheap.Live()
	for _, c := range refusals {
		for threads := 1; threads <= 3; threads++ {
			c.options.Threads = threads
			path := write(t, c.file, []byte(c.text))
			g, err := Read(path, c.options)
			if err == nil {
				t.Errorf("%s: read as %s", c.name, described(g))
				continue
			}
			if refuse.KindOf(err) != refuse.KindFormat || !strings.HasPrefix(err.Error(), path) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: %s: %v, expected %s", c.name, refuse.KindOf(err), err, c.want)
			}
		}
	}
	if n := offheap.Live(); n != live {
		t.Errorf("%d arrays were not freed", n-live)
	}
}

// A stopped job ends a read that waits for data from a pipe.
func TestSilentPipe(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	j := &job.Job{}
	time.AfterFunc(2*pollInterval, func() { atomic.StoreInt64(&j.Stop, 1) })
	w.WriteString("0 1\n")
	if g, err := Read(fmt.Sprintf("/proc/self/fd/%d", r.Fd()), Options{Job: j}); g != nil || !errors.Is(err, refuse.ErrInterrupted) {
		t.Errorf("%v, %v", g, err)
	}
}

func TestRefusedOptions(t *testing.T) {
	path := write(t, "a.txt", []byte("0 1\n"))
	for _, o := range []Options{{Format: "xml"}, {Header: "maybe"}, {Symmetric: "maybe"}, {Columns: Choices{Weight: named("w")}, Header: No}} {
		if _, err := Read(path, o); refuse.KindOf(err) != refuse.KindValue {
			t.Errorf("%+v: %v", o, err)
		}
	}
	if _, err := Read(path+"\x00", Options{}); refuse.KindOf(err) != refuse.KindValue {
		t.Error(err)
	}
	if _, err := Read(path+"x", Options{}); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	if _, err := Read(filepath.Dir(path), Options{}); refuse.KindOf(err) != refuse.KindFormat {
		t.Error(err)
	}
	if _, err := Read(filepath.Dir(path), Options{Format: "csv"}); refuse.KindOf(err) != refuse.KindValue {
		t.Error(err)
	}
}

// long returns a text of many blocks, in which line i is an edge from vertex i.
func long(lines int) []byte {
	var b bytes.Buffer
	for i := range lines {
		fmt.Fprintf(&b, "%d\t%d\n", i, (i*7919)%lines)
	}
	return b.Bytes()
}

// The error reports the first bad line of a file, regardless of later lines and of the number of threads.
func TestFirstBadLine(t *testing.T) {
	text := string(long(200000))
	for _, bad := range []int{1, 30000, 100000, 199999} {
		lines := strings.SplitAfter(text, "\n")
		for _, also := range []int{bad, bad + 100, 199999} {
			lines[min(also, 199999)] = "0 x\n"
		}
		path := write(t, "a.txt", []byte(strings.Join(lines, "")))
		want := fmt.Sprintf("%s, line %d: \"0 x\"", path, bad+1)
		for _, threads := range []int{1, 2, 3, 8} {
			for range 5 {
				if _, err := Read(path, Options{Threads: threads}); err == nil || !strings.HasPrefix(err.Error(), want) {
					t.Fatalf("threads %d: %v, expected %s", threads, err, want)
				}
			}
		}
	}
}

// A compressed file that was truncated anywhere is rejected, and never read as a smaller graph.
func TestTruncated(t *testing.T) {
	text := long(100000)
	for name, data := range map[string][]byte{"gzip": gzipped(text), "zstd": zstandard(text)} {
		for sixteenth := 1; sixteenth < 16; sixteenth++ {
			for threads := 1; threads <= 2; threads++ {
				path := write(t, "a", data[:len(data)*sixteenth/16])
				_, err := Read(path, Options{Threads: threads})
				if err == nil || !strings.Contains(err.Error(), "the file ends in the middle of its "+name+" data") {
					t.Fatalf("%s, %d/16: %v", name, sixteenth, err)
				}
			}
		}
		data[len(data)/2] ^= 0x55
		if _, err := Read(write(t, "a", data), Options{}); refuse.KindOf(err) != refuse.KindFormat {
			t.Errorf("damaged %s: %v", name, err)
		}
	}
}

// A file that becomes shorter while it is read is rejected.
func TestShrinks(t *testing.T) {
	path := write(t, "a.txt", long(200000))
	s, err := openSource(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := os.Truncate(path, 1<<20); err != nil {
		t.Fatal(err)
	}
	o := sniffer{blocks: &blocks{source: s}, layout: newLayout(path), options: Options{Columns: Choices{Weight: Choice{Use: Auto}}}}
	if err := o.detect(""); err != nil {
		t.Fatal(err)
	}
	if _, err = o.parse(1); err == nil || !strings.Contains(err.Error(), "became shorter while it was read") {
		t.Error(err)
	}
}

func TestInterrupted(t *testing.T) {
	live := offheap.Live()
	for name, data := range map[string][]byte{"a.txt": long(200000), "a.gz": gzipped(long(200000))} {
		if _, err := Read(write(t, name, data), Options{Job: &job.Job{Stop: 1}}); !errors.Is(err, refuse.ErrInterrupted) {
			t.Error(name, err)
		}
	}
	if n := offheap.Live(); n != live {
		t.Errorf("%d arrays were not freed", n-live)
	}
}
