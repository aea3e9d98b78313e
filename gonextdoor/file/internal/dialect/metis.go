package dialect

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// A file of METIS has a line with the numbers of vertices and edges, and then a line per vertex with its neighbours, from 1.
// Each edge is in the lines of both its ends. The third number of the first line has digits for sizes of vertices, weights of
// vertices (of which the fourth is the number) and weights of edges. Chaco's format is a part of it.

// layout is the first line of a file of METIS.
type layout struct {
	vertices, edges int
	skipped         int // numbers before the neighbours
	weighted        bool
}

// header reads a first line.
func header(fields []string) (l layout, ok bool) {
	if len(fields) < 2 || len(fields) > 4 || !integers(fields) {
		return l, false
	}
	l.vertices, _ = strconv.Atoi(fields[0])
	l.edges, _ = strconv.Atoi(fields[1])
	if l.vertices < 1 || l.vertices > 1<<32-2 || l.edges < 0 {
		return l, false
	}
	if len(fields) == 2 {
		return l, true
	}
	kind := fmt.Sprintf("%03s", fields[2])
	if len(kind) > 3 || strings.Trim(kind, "01") != "" {
		return l, false
	}
	constraints := 0
	if kind[1] == '1' {
		constraints = 1
	}
	if len(fields) == 4 && kind[1] == '1' {
		constraints, _ = strconv.Atoi(fields[3])
	}
	l.skipped, l.weighted = constraints+int(kind[0]-'0'), kind[2] == '1'
	return l, constraints <= 1000
}

// metis recognises a file of METIS: the lines after the first agree with it.
func metis(h *Head) *Format {
	f := metisHeader(h)
	if f == nil {
		return nil
	}
	if h.suffix == "metis" || h.suffix == "graph" && slices.ContainsFunc(f.rows, func(row []string) bool { return len(row) != len(f.rows[0]) }) {
		return f.Format // what is wrong in it is an error
	}
	l, rows, complete := f.layout, f.rows, h.whole && !f.more
	if len(rows) == 0 || len(rows) > l.vertices {
		return nil
	}
	entries, widths := 0, map[int]bool{}
	for _, row := range rows {
		if !integers(row) || len(row) < l.skipped {
			return nil
		}
		row = row[l.skipped:]
		widths[len(row)] = true
		if l.weighted {
			if len(row)%2 == 1 {
				return nil
			}
		}
		for i, v := range row {
			if n, err := strconv.Atoi(v); (!l.weighted || i%2 == 0) && (err != nil || n < 1 || n > l.vertices) {
				return nil
			}
		}
		entries += len(row)
	}
	if l.weighted {
		entries /= 2
	}
	if complete {
		if len(rows) == l.vertices && entries == 2*l.edges {
			return f.Format
		}
		return nil
	}
	// Of a long file, the suffix decides, or lines of unequal length that have about as many neighbours as all.
	mean := 2 * float64(l.edges) / float64(l.vertices)
	near := float64(entries)/float64(len(rows)) < 20*mean+20
	if h.suffix == "graph" || near && len(widths) > 1 {
		return f.Format
	}
	return nil
}

// metisFormat is a Format, with the lines of the head after the first.
type metisFormat struct {
	*Format
	layout
	rows [][]string // a line of a vertex without neighbours is empty
	more bool       // the head has more lines
}

// metisHeader returns the format if the first line is one of METIS.
func metisHeader(h *Head) *metisFormat {
	at := slices.IndexFunc(h.lines, content)
	if at < 0 {
		return nil
	}
	l, ok := header(strings.Fields(h.lines[at]))
	if !ok {
		return nil
	}
	f := &metisFormat{layout: l}
	for _, line := range h.lines[at+1:] {
		if strings.HasPrefix(line, "%") {
			continue
		}
		if f.more = len(f.rows) == mostRows; f.more {
			break
		}
		f.rows = append(f.rows, strings.Fields(line))
	}
	for len(f.rows) > l.vertices && len(f.rows[len(f.rows)-1]) == 0 { // blank lines at the end
		f.rows = f.rows[:len(f.rows)-1]
	}
	f.Format = &Format{Name: "METIS", Columns: ends, Integers: true, Vertices: l.vertices}
	if l.weighted {
		f.Columns = []string{"source", "target", "weight"}
	}
	f.translate = l.translator()
	return f
}

// translator returns the function that turns the line of a vertex into its edges.
func (l layout) translator() func(*lines) error {
	vertex, entries, begun := 0, 0, false
	return func(t *lines) error {
		switch {
		case t.line == nil && vertex < l.vertices:
			return &Fault{0, "", fmt.Sprintf("the file ends after %d of %d vertices: an interrupted download?", vertex, l.vertices)}
		case t.line == nil && entries != 2*l.edges:
			return &Fault{0, "", fmt.Sprintf("the file has %d neighbours, but its first line says %d edges, each in the lines of both its ends", entries, l.edges)}
		case t.line == nil, bytes.HasPrefix(t.line, []byte{'%'}):
			return nil
		case !begun:
			begun = len(bytes.TrimSpace(t.line)) > 0
			return nil
		}
		fields := bytes.Fields(t.line)
		if vertex == l.vertices {
			if len(fields) == 0 {
				return nil
			}
			return t.fault("there are more lines than vertices, %d", l.vertices)
		}
		vertex++
		step := 1
		if l.weighted {
			step = 2
		}
		if len(fields) < l.skipped || (len(fields)-l.skipped)%step != 0 {
			return t.fault("the neighbours of vertex %d are not complete", vertex)
		}
		for i := l.skipped; i < len(fields); i += step {
			entries++
			t.out = append(strconv.AppendInt(t.out, int64(vertex), 10), '\t')
			if n, err := strconv.Atoi(string(fields[i])); err != nil || n < 1 || n > l.vertices {
				return t.fault("%q is not a vertex: expected 1 to %d", fields[i], l.vertices)
			}
			t.edge(fields[i : i+step]...)
		}
		return nil
	}
}
