package file

import (
	"bytes"
	"slices"
	"strings"
)

const byNetworkx = ": read it with networkx (%s) and use Graph.from_networkx"

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
	{[]string{"*vertices", "*network"}, "looks like a Pajek file" + advice("networkx.read_pajek")},
	{[]string{"graph {", "graph{", "digraph ", "digraph{", "strict graph", "strict digraph"}, "looks like Graphviz DOT" + advice("networkx.nx_pydot.read_dot")},
	{[]string{"version https://git-lfs"}, "is a pointer of Git LFS, not the file itself: fetch it with git lfs pull"},
}

// advice recommends a function of networkx.
func advice(reader string) string { return strings.Replace(byNetworkx, "%s", reader, 1) }

// foreign returns the advice for a text in another graph format, or "" if the format is not recognised. It looks at the
// first 200 bytes, and at 4096 bytes of XML.
func foreign(text []byte) string {
	// JSON and GML may have a line end after the first bracket.
	start := bytes.ToLower(bytes.TrimLeftFunc(text[:min(len(text), 200)], func(r rune) bool { return blank(r) || r == '\n' }))
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
