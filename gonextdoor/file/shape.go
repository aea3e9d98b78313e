package file

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// shape is the first rows of a list of edges, which may be something else: a matrix, an adjacency list, triples.
type shape struct {
	*sniffer
	names []string // of the columns; "" without a header
	rows  [][]string
	whole bool // there are no other rows
}

// shapeRows is the number of rows that are looked at.
const shapeRows = 100

// shapeOf returns the rows from line on, which is the first edge.
func (o *sniffer) shapeOf(names []string) *shape {
	s := &shape{sniffer: o, names: names}
	rest := o.block.text
	for len(rest) > 0 && len(s.rows) < shapeRows {
		line := o.first(rest)
		rest = rest[len(line)+1:]
		if o.skipped(line) {
			continue
		}
		fields, err := o.split(line)
		if err != nil {
			return s
		}
		s.rows = append(s.rows, fields)
	}
	s.whole = len(rest) == 0 && o.blocks.ended != nil && len(o.blocks.rest) == 0
	return s
}

// named reports whether the columns have names.
func (s *shape) named() bool {
	return slices.ContainsFunc(s.names, func(n string) bool { return n != "" })
}

// column returns the fields of a column.
func (s *shape) column(i int) []string {
	var all []string
	for _, r := range s.rows {
		if i < len(r) {
			all = append(all, r[i])
		}
	}
	return all
}

// all reports whether f holds for all fields of columns from to the last.
func (s *shape) all(from int, f func(string) bool) bool {
	for _, r := range s.rows {
		for _, v := range r[min(from, len(r)):] {
			if !f(v) {
				return false
			}
		}
	}
	return true
}

// distinct returns the number of different values.
func distinct(values []string) int {
	seen := map[string]bool{}
	for _, v := range values {
		seen[v] = true
	}
	return len(seen)
}

// refusal returns why the rows are not read as edges, and what to do instead, or "".
func (s *shape) refusal() string {
	o := &s.options.Columns
	chosen := o.Source.given() || o.Target.given()
	switch {
	case s.options.Format == "text":
		return ""
	case suffix(s.path) == "hgr":
		return "is a hypergraph of hMETIS, whose lines are sets of vertices: write an edge from each set to its vertices, and read it with bipartite=True"
	case s.delimiter == ',' && !s.named() && s.holds(0, func(f string) bool { return strings.Contains(f, ";") }):
		return "its columns seem to be separated by semicolons, with commas in numbers: write the numbers with points"
	case s.delimiter == 0 && s.entries():
		return "looks like the entries of a sparse matrix, as MATLAB prints them: write their rows, columns and values, as [i, j, v] = find(A) returns them"
	case s.delimiter == 0 && s.holds(0, func(f string) bool { return len(f) > 1 && strings.HasSuffix(f, ":") }):
		return "looks like an adjacency list, whose lines have a vertex, a colon and its neighbours: remove the colons, " +
			"read it with networkx.read_adjlist and use Graph.from_networkx"
	case s.delimiter == 0 && len(s.rows[0]) > 1 && s.all(1, func(f string) bool { a, b, ok := strings.Cut(f, ":"); return ok && isInteger(a) && isNumber(b) }):
		return "looks like an adjacency list with weights, whose lines have a vertex and neighbours such as 5:0.5: " +
			"write a line per edge with source, target and weight"
	case (s.delimiter == 0 || s.delimiter == ',') && s.broken():
		return "a name seems to have blanks inside (a bracket or a quote is not closed in its column): write csv with the names " +
			"in quotes, or pass format='text' if the columns are right"
	case chosen:
		return ""
	case s.matrixOfNames():
		return "looks like an adjacency matrix with the names of its rows and columns: read it with pandas " +
			"(pandas.read_csv with index_col=0) and use Graph.from_scipy(scipy.sparse.csr_array(table))"
	case s.interactions():
		return "looks like an edge table of Cytoscape, whose names hold both ends: export the network as SIF or csv with " +
			"columns of sources and targets"
	case s.named() || o.Weight.given() || o.Weight.Use == Required || o.Time.given():
		return ""
	case s.matrix():
		return "looks like an adjacency matrix: read it with numpy.loadtxt and use Graph.from_scipy(scipy.sparse.csr_array(matrix)); " +
			"source=0, target=1 reads edges"
	case s.adjacency():
		return "looks like an adjacency list, whose lines have a vertex and its neighbours: read it with networkx.read_adjlist " +
			"and use Graph.from_networkx; weight=2 reads edges with weights, and weight=False without"
	}
	return ""
}

// entries reports whether the lines are indices in brackets and a value, such as (1,2) 5.
func (s *shape) entries() bool {
	return len(s.rows[0]) == 2 && s.all(1, isNumber) && s.holds(0, func(f string) bool {
		inner, opens := strings.CutPrefix(f, "(")
		i, j, divided := strings.Cut(strings.TrimSuffix(inner, ")"), ",")
		return opens && divided && isInteger(i) && isInteger(j)
	})
}

// broken reports whether a bracket or a quote at the beginning of a field is not closed in it.
func (s *shape) broken() bool {
	pairs := map[byte]string{'(': ")", '[': "]", '{': "}", '"': "\"", '\'': "'"}
	return !s.all(0, func(f string) bool {
		if f == "" {
			return true
		}
		end, opens := pairs[f[0]]
		return !opens || len(f) > 1 && strings.HasSuffix(f, end)
	})
}

// matrix reports whether the rows are a square matrix of more than two rows, with small numbers or with more columns than a
// list of edges has.
func (s *shape) matrix() bool {
	n := len(s.rows[0])
	if n < 3 || !s.all(0, isNumber) {
		return false
	}
	bits := s.all(0, func(f string) bool { v, _ := strconv.ParseFloat(f, 64); return v == 0 || v == 1 })
	return s.whole && len(s.rows) == n && (bits || n > 5) || n > 5 && bits && !s.whole || n > 100
}

// header returns the names of the columns and the rows after them. An empty name above an index makes the first line look
// like an edge.
func (s *shape) header() (names []string, rows [][]string) {
	if s.named() {
		return s.names, s.rows
	}
	return s.rows[0], s.rows[1:]
}

// matrixOfNames reports whether the first column has the names of the others.
func (s *shape) matrixOfNames() bool {
	names, rows := s.header()
	n := len(names) - 1
	if n < 2 || len(rows) > n || s.whole && len(rows) != n || len(rows) == 0 {
		return false
	}
	for i, r := range rows {
		if len(r) != n+1 || r[0] != names[1+i] || isNumber(r[0]) && names[0] != "" {
			return false
		}
		if slices.ContainsFunc(r[1:], func(f string) bool { return f != "" && !isNumber(f) }) {
			return false
		}
	}
	return true
}

// interactions reports whether a column holds names such as "A (pp) B".
func (s *shape) interactions() bool {
	names, rows := s.header()
	for i, n := range names {
		if c := canonical(n); c != "sharedname" && c != "name" || len(rows) == 0 {
			continue
		}
		if !slices.ContainsFunc(rows, func(r []string) bool {
			return i >= len(r) || !strings.Contains(r[i], " (") || !strings.Contains(r[i], ") ")
		}) {
			return true
		}
	}
	return false
}

// adjacency reports whether each row may be a vertex with its neighbours: no vertex has two rows, and of the neighbours after
// the first that have a row, most name the vertex in return.
func (s *shape) adjacency() bool {
	if len(s.rows[0]) < 3 || len(s.rows) < 3 || !s.all(0, isInteger) {
		return false
	}
	rows := map[string][]string{}
	for _, r := range s.rows {
		if rows[r[0]] != nil || distinct(r) != len(r) {
			return false
		}
		rows[r[0]] = r[1:]
	}
	known, mutual := 0, 0
	for u, neighbours := range rows {
		for _, v := range neighbours[1:] {
			if others, exists := rows[v]; exists {
				known++
				if slices.Contains(others, u) {
					mutual++
				}
			}
		}
	}
	return known >= 3 && 2*mutual > known
}

// integerIDs reports whether the first edge has integer ids, and all ids of the rows that are integers fit in 64 bits.
func (s *shape) integerIDs() bool {
	first := s.rows[0]
	if !isInteger(first[s.src]) || !isInteger(first[s.dst]) {
		return false
	}
	for _, at := range []int{s.src, s.dst} {
		for _, f := range s.column(at) {
			if _, err := strconv.ParseInt(f, 10, 64); err != nil && isInteger(f) {
				return false
			}
		}
	}
	return true
}

// holds reports whether f holds for the fields of a column that are not empty, of which there is one at least.
func (s *shape) holds(column int, f func(string) bool) bool {
	found := false
	for _, v := range s.column(column) {
		if v != "" && !f(v) {
			return false
		}
		found = found || v != ""
	}
	return found
}

// dates reports whether the first field of a column that is not empty is a date.
func (s *shape) dates(column int) bool {
	i := slices.IndexFunc(s.column(column), func(f string) bool { return f != "" })
	return i >= 0 && isDate(s.column(column)[i])
}

// kinds returns the kinds of the columns for Choose, for which dates and whole numbers with a fraction are integers if they
// may be times, and text if it may be labels.
func (s *shape) kinds(of []Kind) []Kind {
	for i := range of {
		known := knownRole(s.names[i])
		switch {
		case of[i] == Float && s.holds(i, isWhole), known == roleTime && s.dates(i), known == roleLabel && of[i] == Text:
			of[i] = Int
		}
	}
	return of
}

// isWhole reports whether a field is a whole number, also with a fraction of zeros.
func isWhole(f string) bool {
	_, why := attribute([]byte(f), roleTime, math.MinInt64, math.MaxInt64)
	return why == ""
}

// direction interprets a column Type of Gephi, whose rows say Directed or Undirected. It has no labels.
func (s *shape) direction(choices *Choices) {
	at := slices.IndexFunc(s.names, func(n string) bool { return canonical(n) == "type" })
	if at < 0 {
		return
	}
	var kinds []string
	for _, f := range s.column(at) {
		kind := strings.ToLower(f)
		if kind != "directed" && kind != "undirected" && kind != "mutual" {
			return
		}
		if !slices.Contains(kinds, kind) {
			kinds = append(kinds, kind)
		}
	}
	if !choices.Label.given() {
		choices.Label.Use = Ignored
	}
	switch {
	case len(kinds) > 1 && s.options.Symmetric == Unsaid:
		s.warn(fmt.Sprintf("column %s has directed and undirected edges, and all were read in one direction: "+
			"symmetric=True reads all in both, symmetric=False omits this warning", quoted(s.names[at])))
	case len(kinds) == 1 && kinds[0] != "directed" && s.undirected == "":
		s.undirected = fmt.Sprintf("column %s says: %s", quoted(s.names[at]), s.column(at)[0])
	}
}

// triples chooses the columns of triples of text without a header, whose second column is a relation: it has few values, and
// none of them is an end of an edge.
func (s *shape) triples(choices *Choices) {
	if s.named() || len(s.rows[0]) != 3 || choices.Source.given() || choices.Target.given() || choices.Weight.given() ||
		choices.Weight.Use == Required || choices.Label.given() || choices.Time.given() || s.options.Format == "text" {
		return
	}
	heads, relations, tails := s.column(0), s.column(1), s.column(2)
	ends := map[string]bool{}
	shared := false
	for _, f := range heads {
		ends[f] = true
	}
	for _, f := range tails {
		shared = shared || ends[f]
	}
	for _, f := range tails {
		ends[f] = true
	}
	integers := true
	for i, f := range relations {
		if isNumber(f) || ends[f] || isNumber(tails[i]) && !isInteger(heads[i]) {
			return
		}
		integers = integers && isInteger(heads[i]) && isInteger(tails[i])
	}
	marked := !slices.ContainsFunc(relations, func(f string) bool { return !strings.ContainsAny(f, "/:_") })
	if !integers && distinct(relations) >= distinct(tails) {
		return
	}
	if !integers && !shared && !marked {
		s.warn("the columns were read as triples of source, relation and target: source=0, label=1, target=2 omits this warning, " +
			"and source=0, target=1 reads edges between the first two")
	}
	zero, one, two := 0, 1, 2
	choices.Source.Number, choices.Label.Number, choices.Target.Number = &zero, &one, &two
}
