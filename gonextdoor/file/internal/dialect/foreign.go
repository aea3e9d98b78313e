package dialect

import (
	"bytes"
	"slices"
	"strings"
)

const byNetworkx = ": read it with networkx (%s) and use Graph.from_networkx"

const byRDF = ": read it with rdflib and write subject, object (and predicate) as columns"

// otherFormats lists graph formats that are not edge lists: the text they begin with, in lower case, and the advice to give.
var otherFormats = []struct {
	prefixes []string
	advice   string
}{
	{[]string{"{\"", "{ \"", "{'", "[{", "[[", "[ {", "[ [", "{}", "[]"}, "looks like JSON" + advice("networkx.node_link_graph")},
	{[]string{"<graphml"}, "looks like GraphML" + advice("networkx.read_graphml")},
	{[]string{"<gexf"}, "looks like GEXF" + advice("networkx.read_gexf")},
	{[]string{"<!doctype html", "<html"}, "looks like a web page, not a file of edges: was the download refused?"},
	{[]string{"<?xml", "<!--"}, "looks like XML, perhaps GraphML or GEXF" + advice("networkx.read_graphml or read_gexf")},
	{[]string{"graph [", "graph[", "creator \""}, "looks like GML" + advice("networkx.read_gml")},
	{[]string{"*vertices", "*network", "*arcs", "*edges"}, "looks like a Pajek file" + advice("networkx.read_pajek")},
	{[]string{"graph {", "graph{", "digraph ", "digraph{", "strict graph", "strict digraph"}, "looks like Graphviz DOT" + advice("networkx.nx_pydot.read_dot")},
	{[]string{"nodedef>"}, "is a GDF file of GUESS and Gephi: open it in Gephi and export the edges table as csv"},
	{[]string{"leda.graph"}, "is a file of LEDA" + advice("networkx.read_leda")},
	{[]string{"dl n=", "dl n =", "dl nr", "dl nc", "dl\n"}, "is a file of UCINET (DL): export an edge list, or read the matrix and use Graph.from_scipy"},
	{[]string{"adjacencygraph", "weightedadjacencygraph"}, "is an adjacency graph of Ligra: its first numbers are vertices, edges and offsets; use Graph.from_csr"},
	{[]string{"edgearray", "weightededgearray"}, "is an edge array of PBBS: remove the first line"},
	{[]string{"@nodes", "@arcs"}, "is a file of LEMON (LGF): write the section @arcs as columns of sources and targets"},
	{[]string{"*node data", "*tie data"}, "is a VNA file of NetDraw: write the section *tie data as columns with its names"},
	{[]string{"33d32945 stp"}, "is a file of SteinLib: write its lines of edges, which begin with E, without that letter"},
	{[]string{">>graph6<<"}, "is a graph6 file" + advice("networkx.read_graph6")},
	{[]string{">>sparse6<<"}, "is a sparse6 file" + advice("networkx.read_sparse6")},
	{[]string{">>digraph6<<", ">>planar_code<<", ">>planar6<<", ">>multi_code<<"}, "is a file of nauty or plantri: convert it with showg -e"},
	{[]string{"#bvgraph properties", "graphclass=", "graphclass ="}, "has the properties of a BVGraph, not its edges: write them with java it.unimi.dsi.webgraph.ArcListASCIIGraph"},
	{[]string{"@prefix", "@base", "prefix ", "base <"}, "looks like RDF in Turtle" + byRDF},
	{[]string{"%!ps", "%pdf"}, "is a document, not a file of edges: was the download refused?"},
	{[]string{"version https://git-lfs"}, "is a pointer of Git LFS, not the file itself: fetch it with git lfs pull"},
}

// advice recommends a function of networkx.
func advice(reader string) string { return strings.Replace(byNetworkx, "%s", reader, 1) }

// Foreign returns the advice for a text in another graph format, or "" if the format is not recognised. It looks at the
// first 200 bytes, and at 4096 bytes of XML.
func Foreign(text []byte) string {
	// JSON and GML may have a line end after the first bracket.
	start := bytes.ToLower(bytes.TrimLeftFunc(text[:min(len(text), 200)], func(r rune) bool { return strings.ContainsRune(" \t\r\v\f\n", r) }))
	line := strings.TrimSpace(string(bytes.SplitN(start, []byte{'\n'}, 2)[0]))
	if line == "{" || line == "[" || line == "graph" {
		rest := strings.TrimSpace(string(start[len(line):]))
		if line != "graph" && (strings.HasPrefix(rest, "\"") || strings.HasPrefix(rest, "{") || strings.HasPrefix(rest, "[")) {
			return otherFormats[0].advice
		}
		if line == "graph" && strings.HasPrefix(rest, "[") {
			return otherFormats[5].advice
		}
	}
	// The root element of XML follows its declaration and comments.
	if bytes.HasPrefix(start, []byte("<?xml")) {
		for _, kind := range otherFormats[1:3] {
			if bytes.Contains(bytes.ToLower(text[:min(len(text), 4096)]), []byte(kind.prefixes[0])) {
				return kind.advice
			}
		}
	}
	for _, f := range otherFormats {
		if slices.ContainsFunc(f.prefixes, func(p string) bool { return strings.HasPrefix(line, p) }) {
			return f.advice
		}
	}
	return ""
}

// foreign refuses texts that begin as other formats do.
func foreign(h *Head) *Format {
	for i, line := range h.lines {
		if line = strings.TrimLeft(line, " \t"); line == "" || (line[0] == '#' || line[0] == '%') && Foreign([]byte(line)) == "" {
			continue
		}
		if why := Foreign([]byte(strings.Join(h.lines[i:], "\n"))); why != "" {
			return &Format{Name: "another format", Refusal: why, Line: i + 1, Text: h.lines[i]}
		}
		break
	}
	return bare(h)
}

// bare recognises formats of a text without a mark at its beginning: graph6 and sparse6 without their headers, Trivial Graph
// Format, and binary files.
func bare(h *Head) *Format {
	for i, line := range h.lines {
		if strings.IndexByte(line, 0) < 0 && strings.ContainsFunc(line, func(r rune) bool { return r < ' ' && !strings.ContainsRune("\t\v\f\r\x1b", r) }) {
			return &Format{
				Name: "binary", Line: i + 1, Text: line,
				Refusal: "it has control characters: is this a text file? (A BVGraph is written as text by java it.unimi.dsi.webgraph.ArcListASCIIGraph)",
			}
		}
	}
	if first := h.refused("", ""); h.suffix == "g6" || h.suffix == "s6" || h.suffix == "d6" || strings.HasPrefix(first.Text, ":") && !strings.ContainsAny(first.Text, " \t,") {
		return h.refused("graph6", "looks like a file of graph6 or sparse6"+advice("networkx.read_graph6 or read_sparse6"))
	}
	// In Trivial Graph Format a line with # alone is between the vertices, with their labels, and the edges.
	divided := slices.Index(h.lines, "#")
	if divided < 1 {
		return nil
	}
	seen := map[string]bool{}
	for _, line := range h.lines[:divided] {
		fields := strings.Fields(line)
		if len(fields) == 0 || seen[fields[0]] || len(fields) > 1 && h.suffix != "tgf" && integer(fields[1]) {
			return nil
		}
		seen[fields[0]] = true
	}
	return h.refused("TGF", "looks like Trivial Graph Format: remove the lines up to #, which describe the vertices")
}
