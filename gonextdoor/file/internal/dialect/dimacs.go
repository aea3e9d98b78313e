package dialect

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// problem is a kind of file of the DIMACS challenges: the tag of the lines with edges, and their columns.
type problem struct {
	tag        string
	columns    []string
	undirected bool
}

var ends = []string{"source", "target"}

// problems are those whose edges are read. Lines with other tags than the edges' are descriptions of vertices, or comments.
var problems = map[string]problem{
	"sp":   {"a", []string{"source", "target", "weight"}, false},                    // shortest paths
	"asn":  {"a", []string{"source", "target", "weight"}, false},                    // assignment
	"max":  {"a", []string{"source", "target", "weight"}, false},                    // maximum flow: the capacity
	"min":  {"a", []string{"source", "target", "low", "weight", "cost"}, false},     // flow of least cost: the capacity
	"edge": {"e", ends, true}, "edges": {"e", ends, true}, "col": {"e", ends, true}, // colouring, cliques
}

// dimacs recognises the files of the DIMACS challenges: "p sp 3 2", then "a 1 2 803" per edge. Lines that begin with c are
// comments.
func dimacs(h *Head) *Format {
	at := slices.IndexFunc(h.lines, func(line string) bool {
		return content(line) && strings.TrimSpace(line) != "c" && !strings.HasPrefix(strings.TrimSpace(line), "c ")
	})
	if at < 0 {
		return nil
	}
	fields := strings.Fields(h.lines[at])
	if len(fields) < 3 || fields[0] != "p" || integer(fields[1]) || !integers(fields[2:]) {
		return nil
	}
	f := &Format{Name: "DIMACS " + fields[1], Line: at + 1, Text: h.lines[at]}
	kind, known := problems[fields[1]]
	count, err := strconv.Atoi(fields[2])
	switch {
	case !known:
		f.Refusal = fmt.Sprintf("it is a DIMACS file of the problem %q: %s are read", fields[1], "sp, asn, max, min, edge and col")
		return f
	case len(fields) < 4 || err != nil || count > 1<<32-2:
		f.Refusal = "expected the numbers of vertices and edges, as in \"p sp 3 2\""
		return f
	}
	f.Columns, f.Integers = kind.columns, true
	f.Vertices = count
	if kind.undirected {
		f.Warning = fmt.Sprintf("the edges of DIMACS %s have no direction, and were read as they are listed: symmetric=True adds "+
			"their reverses, symmetric=False omits this warning", fields[1])
	}
	f.translate = func(l *lines) error {
		tag, rest, _ := bytes.Cut(bytes.TrimSpace(l.line), []byte{' '})
		if string(tag) != kind.tag {
			if len(tag) > 1 || l.number > at+1 && len(tag) == 1 && !bytes.Contains([]byte("cnpdvx"), tag) {
				return l.fault("expected lines of edges that begin with %q", kind.tag)
			}
			if l.line == nil {
				return nil
			}
			return l.skip()
		}
		fields := bytes.Fields(rest)
		if len(fields) < len(kind.columns) {
			return l.fault("expected %q and %d numbers: %s", kind.tag, len(kind.columns), strings.Join(kind.columns, ", "))
		}
		return l.edge(fields[:len(kind.columns)]...)
	}
	return f
}

// tagged refuses files whose lines begin with a letter for their kind, other than those of DIMACS.
func tagged(h *Head) *Format {
	rows := h.rows()
	tags := map[string]bool{}
	for _, r := range rows {
		if len(r[0]) != 1 || r[0][0] < 'A' || integer(r[0]) || len(r) < 3 && r[0] != "v" {
			return nil
		}
		tags[r[0]] = true
	}
	switch {
	case tags["t"] && tags["v"]:
		return h.refused("gSpan", "it is a file of gSpan, which holds several graphs (t, v and e lines): write the edges of one as columns")
	case len(rows) > 1 && len(tags) == 1 && (tags["e"] || tags["a"]) && integers(rows[0][1:]), tags["v"] && tags["e"]:
		return h.refused("tagged lines", "lines begin with the letter of their kind, as in DIMACS files, but a line such as "+
			"\"p edge 3 2\" is missing: source=1, target=2 reads the columns after it (format='text' if it is a vertex)")
	}
	return nil
}
