package file

import (
	"io"
	"slices"
	"strconv"
	"strings"

	"gonextdoor/gonextdoor/graph"
)

// matrixRefusals lists the kinds of Matrix Market files that are not graphs with non-negative weights.
var matrixRefusals = map[string]string{
	"array":          "a dense array is not a list of edges; expected the coordinate format",
	"complex":        "complex weights have no meaning here; expected real, integer or pattern",
	"hermitian":      "a Hermitian matrix is complex; expected general or symmetric",
	"skew-symmetric": "in a skew-symmetric matrix half of the weights are negative; expected general or symmetric",
	"vector":         "a vector is not a graph; expected a matrix",
}

// isBanner reports whether a line is the first line of a Matrix Market file.
func isBanner(line []byte) bool {
	const banner = "%%matrixmarket"
	return len(line) >= len(banner) && strings.EqualFold(string(line[:len(banner)]), banner)
}

// matrix detects the layout of a Matrix Market file, in which entry (i, j) is the edge from vertex i-1 to vertex j-1.
func (o *sniffer) matrix() error {
	banner, err := o.peek()
	if err != nil {
		return err
	}
	// 1. The kind of matrix, from the banner.
	words := strings.Fields(strings.ToLower(string(banner)))
	for _, w := range words {
		if why := matrixRefusals[w]; why != "" {
			return o.refuse(o.lines+1, banner, why)
		}
	}
	if len(words) != 5 || words[0] != "%%matrixmarket" || words[1] != "matrix" || words[2] != "coordinate" ||
		!slices.Contains([]string{"real", "integer", "pattern", "double"}, words[3]) ||
		!slices.Contains([]string{"general", "symmetric"}, words[4]) {
		return o.refuse(o.lines+1, banner, `expected "%%MatrixMarket matrix coordinate real|integer|pattern general|symmetric"`)
	}
	// 2. The columns.
	o.columns, o.base = 3, 1
	names, kinds := []string{"row", "column", "value"}, []Kind{Int, Int, Float}
	switch words[3] {
	case "pattern":
		o.columns = 2
	case "integer":
		kinds[2] = Int
	}
	if words[4] == "symmetric" {
		o.undirected = "line 1 says: symmetric"
	}
	if o.options.Header == Yes {
		return o.refuse(o.lines+1, banner, "header=True: a Matrix Market file has no line of column names")
	}
	c, err := Choose(names[:o.columns], kinds[:o.columns], o.options.Columns)
	if err != nil {
		return o.refuse(o.lines+1, banner, err.Error())
	}
	o.src, o.dst, o.weight, o.time, o.label, o.said = c.Source, c.Target, c.Weight, c.Time, c.Label, c.Said
	o.pass(banner)
	return o.matrixSize()
}

// matrixSize parses the size line, "rows columns entries".
func (o *sniffer) matrixSize() error {
	line, err := o.edge()
	if err != nil {
		return err
	}
	var n [3]int
	words := strings.Fields(string(line))
	for i, w := range words {
		if i < 3 {
			n[i], err = strconv.Atoi(w)
		}
		if err != nil || i > 2 || n[i] < 0 {
			return o.refuse(o.lines+1, line, `expected the size line, "rows columns entries"`)
		}
	}
	switch {
	case len(words) != 3:
		return o.refuse(o.lines+1, line, `expected the size line, "rows columns entries"`)
	case n[0] != n[1]:
		return o.refuse(o.lines+1, line, "the adjacency matrix of a graph is square")
	case n[0] == 0:
		return o.refuse(o.lines+1, line, "the matrix has no rows")
	case uint64(n[0]) > uint64(graph.None)-1:
		return o.refuse(o.lines+1, line, "more rows than a graph can have vertices, 4294967294")
	}
	o.size.vertices, o.size.entries, o.size.given = n[0], n[2], true
	o.largest = uint64(n[0]) - 1
	o.pass(line)
	if n[2] == 0 {
		return nil
	}
	if _, err := o.peek(); err == io.EOF {
		return o.incomplete(0)
	}
	return nil
}
