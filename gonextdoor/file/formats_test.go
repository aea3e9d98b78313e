package file

import (
	"slices"
	"strconv"
	"strings"
	"testing"
)

// Files of other formats than columns are read, refused or warned about: none is silently another graph.
func TestFormats(t *testing.T) {
	yes, no := Answer("yes"), Answer("no")
	for _, c := range []struct {
		file, text string
		options    Options
		want       string // the graph as described, or after "!" a part of the refusal
		warning    string
	}{
		// DIMACS
		{"a.gr", "c a\nc\np sp 3 2\nc b\na 1 2 803\na 2 3 158\n", Options{}, "0: 1(803); 1: 2(158); 2:;", ""},
		{"a.col", "p edge 4 2\ne 1 2\ne 2 3\n", Options{}, "0: 1; 1: 2; 2:; 3:;", "symmetric=True adds their reverses"},
		{"a.col", "p edge 4 2\ne 1 2\ne 2 3\n", Options{Symmetric: yes}, "0: 1; 1: 0 2; 2: 1; 3:;", ""},
		{"a.col", "p col 2 2\ne 1 2\ne 2 1\n", Options{Symmetric: no}, "0: 1; 1: 0;", ""},
		{"a.max", "p max 3 2\nn 1 s\nn 3 t\na 1 2 5\na 2 3 6\n", Options{}, "0: 1(5); 1: 2(6); 2:;", ""},
		{"a.min", "p min 2 1\nn 1 4\na 1 2 0 5 9\n", Options{}, "0: 1(5); 1:;", ""},
		{"a.gr", "p sp 3 2\na 1 4 803\n", Options{}, "!4 is not a row or column", ""},
		{"a.gr", "p sp 3 2\na 1 2\n", Options{}, "!line 2: \"a 1 2\": expected \"a\" and 3 numbers: source, target, weight", ""},
		{"a.gr", "p sp 3 2\na 1 2 3\nhello 1 2\n", Options{}, "!line 3: \"hello 1 2\": expected lines of edges that begin with \"a\"", ""},
		{"a.cnf", "p cnf 3 2\n1 -3 0\n", Options{}, "!it is a DIMACS file of the problem \"cnf\"", ""},
		{"a.gr", "p sp three 2\na 1 2 3\n", Options{Format: "dimacs"}, "!it is not a file of DIMACS", ""},
		{"a.txt", "e 1 2\ne 2 3\n", Options{}, "!source=1, target=2 reads the columns after it", ""},
		{"a.txt", "t # 0\nv 0 1\nv 1 1\ne 0 1 2\n", Options{}, "!it is a file of gSpan", ""},
		// METIS
		{"a.graph", "3 2\n2\n1 3\n2\n", Options{}, "0: 1; 1: 0 2; 2: 1;", ""},
		{"a.txt", "% c\n4 2\n2\n1 3\n2\n\n", Options{}, "0: 1; 1: 0 2; 2: 1; 3:;", ""},
		{"a.metis", "3 2 011 1\n5 2 7\n5 1 7 3 8\n5 2 8\n", Options{}, "0: 1(7); 1: 0(7) 2(8); 2: 1(8);", ""},
		{"a.metis", "2 1 100\n9 2\n9 1\n", Options{}, "0: 1; 1: 0;", ""},
		{"a.graph", "3 2\n2\n1 4\n2\n", Options{}, "!line 3: \"1 4\": \"4\" is not a vertex: expected 1 to 3", ""},
		{"a.metis", "3 2\n2\n1 3\n", Options{}, "!the file ends after 2 of 3 vertices", ""},
		{"a.metis", "3 3\n2\n1 3\n2\n", Options{}, "!the file has 4 neighbours, but its first line says 3 edges", ""},
		{"a.metis", "1 0\n\n2\n", Options{}, "!there are more lines than vertices, 1", ""},
		{"a.txt", "a b\n", Options{Format: "metis"}, "!it is not a file of METIS", ""},
		{"a.graph", "1 2\n2 3\n", Options{}, "1: 2; 2: 3; 3:;", ""},
		// networkx
		{"a.edgelist", "1 2 {'weight': 3.0}\n2 5 {'weight': 4, 'color': \"red, or not\"}\n", Options{}, "1: 2(3); 2: 5(4); 5:;", ""},
		{"a.edgelist", "# c\n1 2 {}\n2 5 {}\n", Options{}, "1: 2; 2: 5; 5:;", ""},
		{"a.edgelist", "1 2 {'weight': True}\n2 5 {'weight': False}\n", Options{}, "1: 2(1); 2: 5(0); 5:;", ""},
		{"a.edgelist", "1 2 {'weight': [1]}\n", Options{}, "!read it with networkx.read_edgelist", ""},
		{"a.edgelist", "1 2 {'weight': 1}\n2 5\n", Options{}, "!line 2: \"2 5\": expected two ids and a dict of attributes", ""},
		{"a.edgelist", "1 2 {'weight': 1}\n2 5 {'weight': None}\n", Options{}, "!the weight is not a number", ""},
		// Arrows
		{"a.txt", "a -> b\nb -> c\n", Options{}, "a: b; b: c; c:;", ""},
		{"a.txt", "1 -- 2\n", Options{}, "1: 2; 2: 1;", ""},
		{"a.txt", "1 -> 2\n2 3\n", Options{}, "!", ""},
		// KONECT
		{"out.a", "% asym unweighted\n1 2 1 100\n2 3 1 200\n", Options{}, "1: 2; 2: 3; 3:;", ""},
		{"out.a", "% sym posweighted\n% 1 2 2\n1 2 2.5 100\n", Options{}, "1: 2(2.5); 2: 1(2.5);", ""},
		{"out.a", "% bip unweighted\n1 1\n1 2\n", Options{}, "source:1: target:1 target:2; target:1:; target:2:;", "bipartite=False reads one vertex"},
		// Two kinds of vertices
		{"a.csv", "userId,movieId,rating\n1,1,4\n2,1,3\n", Options{}, "userId:1: movieId:1(4); userId:2: movieId:1(3); movieId:1:;", "are different kinds of vertices"},
		{"a.csv", "user,item\n1,1\n", Options{Bipartite: yes}, "user:1: item:1; item:1:;", ""},
		{"a.csv", "user,item\n1,1\n", Options{Bipartite: no}, "1: 1;", ""},
		{"a.csv", "user,item\na,b\n", Options{}, "a: b; b:;", ""},
		{"a.csv", "source,target\nb,b\na,b\n", Options{Bipartite: yes}, "source:b: target:b; source:a: target:b; target:b:;", ""},
		{"a.gr", "p sp 2 1\na 1 2 3\n", Options{Bipartite: yes}, "!bipartite=True: a.gr has one number of vertices", ""},
		// Triples, and labels that are text
		{"a.tsv", "h\tr/1\tt\nt\tr/1\th\n", Options{}, "h: t; t: h;", ""},
		{"a.tsv", "h1\tr1\tt1\nh2\tr1\tt2\n", Options{}, "h1: t1; t1:; h2: t2; t2:;", "read as triples"},
		{"a.txt", "7 likes 8\n8 likes 7\n", Options{}, "7: 8; 8: 7;", ""},
		{"a.txt", "a b friend\nb a friend\n", Options{}, "a: b; b: a;", "the third column is text"},
		// Matrices and adjacency lists
		{"a.adjlist", "0 1 2\n1 0 2\n2 0 1\n", Options{}, "!looks like an adjacency list", ""},
		{"a.txt", "0 1 2\n1 0 2\n2 0 1\n", Options{Columns: Choices{Weight: numbered(2)}}, "0: 1(2); 1: 0(2); 2: 0(1);", ""},
		{"a.txt", "0 1 1\n1 0 0\n1 0 0\n", Options{}, "!looks like an adjacency matrix", ""},
		{"a.csv", ",a,b\na,0,1\nb,1,0\n", Options{}, "!an adjacency matrix with the names", ""},
		{"a.csv", "SUID,name\n5,A (pp) B\n", Options{}, "!looks like an edge table of Cytoscape", ""},
		{"a.txt", "3 2\n1 2\n2 3\n", Options{}, "1: 2; 2: 3; 3: 2;", "may be the numbers of vertices and edges"},
		// Columns
		{"a.csv", "Source,Target,Type\n1,2,Undirected\n", Options{}, "1: 2; 2: 1;", ""},
		{"a.csv", "Source,Target,Type\n1,2,Undirected\n2,3,Directed\n", Options{}, "1: 2; 2: 3; 3:;", "has directed and undirected edges"},
		{"a.csv", "Id,Name,Age\n1,Ada,36\n", Options{}, "Ada: 36; 36:;", "were read as the ends of edges because they are the first two"},
		{"a.txt", "1 2 3 4\n", Options{}, "1: 2; 2:;", "columns 2 to 3 are not read"},
		{"a.txt", "0 1 0\n1 2 36\n2 0 77\n", Options{}, "0: 1(0); 1: 2(36); 2: 0(77);", "its values grow as times do"},
		{"a.txt", "007 10\n10 7\n", Options{}, "7: 10; 10: 7;", "so that their zeros are lost: ids='text' keeps them"},
		{"a.txt", "007 10\n10 7\n", Options{IDs: TextIDs}, "007: 10; 10: 7; 7:;", ""},
		{"a.txt", "007 10\n10 7\n", Options{IDs: IntegerIDs}, "7: 10; 10: 7;", ""},
		{"a.txt", "18446744073709551615 1\n", Options{}, "18446744073709551615: 1; 1:;", ""},
		{"a.txt", "(0, 1) (1, 0) 2.5\n", Options{}, "!a name seems to have blanks inside", ""},
		{"a.dat", "1::2::5\n", Options{}, "!replace :: by a tab", ""},
		{"a.csv", "a;b;3,5\nb;c;4,5\n", Options{}, "!separated by semicolons, with commas in numbers", ""},
		{"a.csv", "a,b,\"3,5\"\nb,c,\"4,5\"\n", Options{}, "a: b; b: c; c:;", "the third column is text"},
		{"a.csv", "a,NA\nb,a\n", Options{}, "a: NA; NA:; b: a;", "an id is NA, which may stand for a missing one"},
		{"a.csv", "Person.id|Person.id|creationDate\n9|8|2010-03-13T07:37:21.718+0000\n", Options{}, "8:; 9: 8;", "column 'creationDate' has dates"},
		{"a.csv", "date,user,item\n1970-01-02,1,2\n", Options{}, "1: 2; 2:;", ""},
		{"a.csv", "~id,~from,~to,~label\ne1,v1,v2,knows\n", Options{}, "v1: v2; v2:;", ""},
		{"a.csv", ":START_ID(User),:END_ID(Movie),rating:int\n1,2,5\n2,1,3\n", Options{}, "User:1: Movie:2(5); User:2: Movie:1(3); Movie:1:; Movie:2:;", "different kinds"},
		{"a.csv", ":START_ID(User),:END_ID(User),:TYPE\n1,2,KNOWS\n", Options{}, "1: 2; 2:;", ""},
		{"a.tsv", "SOURCE_SUBREDDIT\tTARGET_SUBREDDIT\tTIMESTAMP\na\tb\t2013-12-31 16:39:58\n", Options{}, "a: b; b:;", ""},
		{"a.txt", "# FromNodeId\tToNodeId\tTimestamp\n1\t2\t5\n", Options{}, "1: 2; 2:;", ""},
		{"a.txt", "#Interaction ID\tGene A\tGene B\n103\t6416\t2318\n", Options{}, "103: 6416(2318); 6416:;", "a comment names the columns 'Interaction ID', 'Gene A'"},
		{"a.txt", "# Directed edges: 3 vertices, 2 edges, weights\n0 1 2\n1 2 5\n", Options{}, "0: 1(2); 1: 2(5); 2:;", ""},
		{"a.csv", "# Interaction ID,Gene A,Gene B\n103,6416,2318\n", Options{}, "103: 6416(2318); 6416:;", "a comment names the columns 'Interaction ID', 'Gene A'"},
		{"a.dat", "2B,410,KZN,2965\n2B,410,ASF,2966\n", Options{}, "2B: 410 410; 410:;", "columns 2 to 3 are not read"},
		{"a.csv", "6,2,4,1289241911.72836\n", Options{}, "2:; 6: 2;", "columns 2 to 3 are not read"},
		{"a.txt", "0\t2010-10-19T23:55:27Z\t30.2\t-97.7\t22847\n", Options{}, "0: 2010-10-19T23:55:27Z; 2010-10-19T23:55:27Z:;", "columns 2 to 4 are not read"},
		{"a.txt", "0: 1 2\n1: 0 2\n", Options{}, "!looks like an adjacency list, whose lines have a vertex, a colon", ""},
		{"a.txt", "0 1:2.0 2:3.0\n1 0:2.0 2:1.0\n", Options{}, "!looks like an adjacency list with weights", ""},
		{"a.txt", "101:102,103\n102:101\n", Options{}, "!it has 1 column, expected 2", ""},
		{"a.txt", "   (1,2)   5\n   (2,3)   6\n", Options{}, "!entries of a sparse matrix, as MATLAB prints them", ""},
		{"a.nwk", "(A,B,(C,D));\n", Options{}, "!a name seems to have blanks inside", ""},
		{"a.sif", "A pp B C\nB pp C\n", Options{}, "!it has 3 columns, expected 4", ""},
		{"a.txt", "1:\n1488844,3,2005-09-06\n", Options{}, "!it has 1 column, expected two ids", ""},
		// Refused by their name
		{"a.hgr", "3 4\n1 2\n2 3\n1 4\n", Options{}, "!is a hypergraph of hMETIS", ""},
		{"a.net", "*Arcs\n1 2 1\n", Options{}, "!looks like a Pajek file", ""},
		{"a.lgf", "@nodes\nlabel\n1\n@arcs\n\t\tlabel\n1 1 0\n", Options{}, "!is a file of LEMON", ""},
		{"a.vna", "*node data\nid name\n1 a\n*tie data\nfrom to\n1 1\n", Options{}, "!is a VNA file of NetDraw", ""},
		{"a.stp", "33D32945 STP File, STP Format Version 1.0\nSECTION Graph\nE 1 2 3\n", Options{}, "!is a file of SteinLib", ""},
		{"a.gr", "p tw 4 3\n1 2\n2 3\n", Options{}, "!it is a DIMACS file of the problem \"tw\"", ""},
		{"a.nq", "<http://a> <http://p> <http://b> <http://g> .\n", Options{}, "!looks like RDF in N-Triples", ""},
		{"a.mat", "MATLAB 5.0 MAT-file\x00\x01IM", Options{}, "!it has a NUL byte", ""},
		{"a.gt", "⛾ gt\x01\x00\x00", Options{}, "!it has a NUL byte", ""},
		{"a.h5", "\x89HDF\r\n\x1a\n\x00", Options{}, "!is an HDF5 file", ""},
		{"a.nt", "<http://a> <http://p> <http://b> .\n", Options{}, "!looks like RDF in N-Triples", ""},
		{"a.ttl", "# c\n@prefix a: <http://x> .\n", Options{}, "!looks like RDF in Turtle", ""},
		{"a.g6", "DQc\n", Options{}, "!looks like a file of graph6", ""},
		{"a.s6", ":Fa@x^\n", Options{}, "!graph6 or sparse6", ""},
		{"a.tgf", "1 a\n2 b\n#\n1 2 x\n", Options{}, "!looks like Trivial Graph Format", ""},
		{"a.txt", "1 2\n#\n3 4\n", Options{}, "1: 2; 2:; 3: 4; 4:;", ""},
		{"a.gdf", "nodedef>name VARCHAR\na\n", Options{}, "!is a GDF file", ""},
		{"a.dl", "dl n=3 format=edgelist1\ndata:\n1 2\n", Options{}, "!is a file of UCINET", ""},
		{"a.txt", "AdjacencyGraph\n2\n1\n0\n1\n1\n", Options{}, "!is an adjacency graph of Ligra", ""},
		{"a.properties", "#BVGraph properties\nnodes=3\n", Options{}, "!has the properties of a BVGraph", ""},
		{"a.graph", "\x01\x02\x03\x05\n", Options{}, "!it has control characters", ""},
		{"a.gz", string(gzipped([]byte("1 2\n"))) + string(gzipped([]byte("2 3\n"))) + strings.Repeat("\x00", 512), Options{}, "1: 2; 2: 3; 3:;", ""},
		{"a.gz", string(gzipped([]byte("1 2\n"))) + "\x00x", Options{}, "!gzip data", ""},
	} {
		var r Report
		c.options.Report = &r
		g, err := Read(write(t, c.file, []byte(c.text)), c.options)
		if part, refused := strings.CutPrefix(c.want, "!"); refused {
			if err == nil || !strings.Contains(err.Error(), part) {
				t.Errorf("%q: %v, expected a refusal with %q", c.text, err, part)
			}
			if err == nil {
				g.Close()
			}
			continue
		}
		if err != nil {
			t.Errorf("%q: %v", c.text, err)
			continue
		}
		if got := described(g); got != c.want {
			t.Errorf("%q: read as %s, expected %s", c.text, got, c.want)
		}
		g.Close()
		if c.warning == "" && len(r.Warnings) > 0 || c.warning != "" && !slices.ContainsFunc(r.Warnings, func(w string) bool { return strings.Contains(w, c.warning) }) {
			t.Errorf("%q: warnings %q, expected %q", c.text, r.Warnings, c.warning)
		}
	}
}

// A long file of METIS is recognised by its first lines.
func TestLongMETIS(t *testing.T) {
	var b strings.Builder
	const n = 30_000
	b.WriteString("30000 30000\n")
	for v := range n {
		b.WriteString(strconv.Itoa((v+n-1)%n+1) + " " + strconv.Itoa((v+1)%n+1) + "\n")
	}
	for name, want := range map[string]bool{"a.graph": true, "a.metis": true, "a.txt": false} {
		g, err := Read(write(t, name, []byte(b.String())), Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := g.NumEdges() == 2*n; got != want {
			t.Errorf("%s: %d edges", name, g.NumEdges())
		}
		g.Close()
	}
}

// Times that are dates of ISO 8601, and whole numbers with a fraction.
func TestDates(t *testing.T) {
	for _, c := range []struct {
		text string
		want []int64
		unit string
	}{
		{"1970-01-02", []int64{86_400_000_000}, "us"},
		{"1970-01-01T00:00:01Z", []int64{1_000_000}, "us"},
		{"1970-01-01 00:00:01.25", []int64{1_250_000}, "us"},
		{"1970-01-01T02:00+02:00", []int64{0}, "us"},
		{"1969-12-31T23:59:59.999999-0030", []int64{1_799_999_999}, "us"},
		{"2000-02-29", []int64{951_782_400_000_000}, "us"},
		{"1970-02", []int64{31 * 86_400_000_000}, "us"},
		{"36.0", []int64{36}, ""},
		{"1.5e3", []int64{1500}, ""},
	} {
		g, err := Read(write(t, "a.csv", []byte("src,dst,time\n0,1,"+c.text+"\n")), Options{})
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		if !slices.Equal(g.Times, c.want) || g.TimeUnit != c.unit {
			t.Errorf("%s: %v in %q, expected %v in %q", c.text, g.Times, g.TimeUnit, c.want, c.unit)
		}
		g.Close()
	}
	for _, text := range []string{"1999-02-29", "1999-13-01", "2000-01-01T24:00", "2000-01-01T10:00:00.1234567", "NaT", "", "2000-01-01x", "-100-01-01", "0.5"} {
		_, err := Read(write(t, "a.csv", []byte("src,dst,time\n0,1,1970-01-02\n1,2,"+text+"\n")), Options{Columns: Choices{Time: named("time")}})
		if err == nil || !strings.Contains(err.Error(), "line 3") || !strings.Contains(err.Error(), "the time") {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// Texts of labels are numbered by first appearance, on any number of threads, and kept with the graph.
func TestLabelNames(t *testing.T) {
	var b strings.Builder
	for i := range 60_000 {
		b.WriteString("a" + strconv.Itoa(i) + "\tr_" + strconv.Itoa(i/3%7) + "\tb" + strconv.Itoa(i*7%60_000) + "\n")
	}
	want := []string{"r_0", "r_1", "r_2", "r_3", "r_4", "r_5", "r_6"}
	for _, threads := range []int{1, 4} {
		g, err := Read(write(t, "a.tsv", []byte(b.String())), Options{Threads: threads})
		if err != nil {
			t.Fatal(err)
		}
		for v := range g.NumVertices() {
			for p, end := g.Row(uint32(v)); p < end; p++ {
				if e := g.EdgeID(p); g.Labels[p] != int32(e/3%7) {
					t.Fatalf("edge %d has label %d", e, g.Labels[p])
				}
			}
		}
		folder := t.TempDir() + "/g"
		if err := Save(g, folder, nil); err != nil {
			t.Fatal(err)
		}
		g.Close()
		if g, err = Open(folder); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(g.LabelNames, want) {
			t.Errorf("names of labels %q", g.LabelNames)
		}
		g.Close()
	}
}
