package file

import (
	"bytes"
	"fmt"
	"io"
	"slices"

	"gonextdoor/gonextdoor/file/internal/dialect"
	"gonextdoor/gonextdoor/refuse"
)

// detect determines the layout; format is that of the options, or "".
func (o *sniffer) detect(format string) error {
	// 1. Formats that are not lists of edges in columns: their translation is read, or they are refused.
	if other := dialect.Recognise(o.blocks.source.head(), format); other != nil {
		return o.translation(other)
	}
	// 2. A Matrix Market file has its own rules.
	o.comments = true
	if format == "csv" || format == "tsv" {
		o.blocks.quoted = true
	}
	first, err := o.peek()
	if err != nil && err != io.EOF {
		return err
	}
	if format == "mtx" || isBanner(first) {
		if format != "mtx" && format != "" {
			return o.refuse(1, first, "this is a Matrix Market file: read it with format='mtx', or without format=")
		}
		return o.matrix()
	}
	line, err := o.edge()
	if err != nil {
		return err
	}
	if bytes.IndexByte(line, 0) >= 0 {
		return o.refuse(o.lines+1, line, "it has a NUL byte: is this a text file?")
	}
	// 3. The delimiter.
	switch {
	case format == "csv":
		o.delimiter = separatorOf(line)
	case format == "tsv":
		o.delimiter = '\t'
	case format == "" && len(bytes.Fields(line)) == 1 && bytes.IndexByte(line, ',') > 0:
		o.delimiter = ','
	}
	if o.delimiter != 0 {
		o.comments = false // ids such as #tag are common in csv, so only lines before the table are comments
		o.blocks.Quote(&o.block)
		if line, err = o.edge(); err != nil {
			return err
		}
	}
	// 4. The header and the columns.
	return o.table(line)
}

// separatorOf returns the delimiter of a csv file: the first of , ; tab | that its first line contains.
func separatorOf(line []byte) byte {
	for _, c := range []byte(",;\t|") {
		if bytes.IndexByte(line, c) >= 0 {
			return c
		}
	}
	return ','
}

// table determines header and columns of a list of edges; line is its first line.
func (o *sniffer) table(line []byte) error {
	first, err := o.split(line)
	if err != nil {
		return err
	}
	header, err := o.header(line, first)
	if err != nil {
		return err
	}
	names, named := make([]string, len(first)), line
	if header {
		names = first
		o.pass(line)
		if line, err = o.edge(); err != nil {
			return err
		}
		if first, err = o.split(line); err != nil {
			return err
		}
		if len(names) != len(first) {
			return o.refuse(o.lines+1, line, "it has "+plural(len(first), "column")+", the header has "+plural(len(names), "column"))
		}
	}
	if n := len(first); !header && o.konect != nil && n <= 4 {
		names = []string{"source", "target", "weight", "time"}[:n]
		if n > 2 && slices.Contains(o.konect, "unweighted") {
			names[2] = "key"
		}
	}
	if h := o.heading(); !header && len(h) == len(first) && len(h) > 2 && knownRole(h[0]) == roleSource && knownRole(h[1]) == roleTarget {
		names = h
	}
	if len(first) == 1 {
		separators := "format='csv' also tries ; and | as separators"
		if bytes.Contains(line, []byte("::")) {
			separators = "fields separated by :: are not read: replace :: by a tab, for example with sed"
		}
		return o.refuse(o.lines+1, line, "it has 1 column, expected two ids; "+separators)
	}
	if err := o.choose(line, first, names); refuse.KindOf(err) == refuse.KindValue {
		if header {
			return o.refuse(o.lines, named, err.Error())
		}
		return o.refuse(o.lines+1, line, err.Error())
	}
	return nil
}

// choose assigns roles to the columns, and determines whether ids are integers. first has the fields of line, the first edge.
// It returns a value error if the rows are not edges.
func (o *sniffer) choose(line []byte, first, names []string) error {
	s := o.shapeOf(names)
	if why := s.refusal(); why != "" {
		return refuse.Value("%s", why)
	}
	values := slices.Clone(first)
	if next, err := o.split(o.after(line)); err == nil && len(next) == len(first) {
		for i, v := range values { // the kind of an empty field is taken from the next line
			if v == "" {
				values[i] = next[i]
			}
		}
	}
	choices := o.options.Columns
	s.direction(&choices)
	s.triples(&choices)
	c, err := Choose(names, s.kinds(kindsOfFields(values)), choices)
	if err != nil {
		return err
	}
	o.columns = len(first)
	o.src, o.dst, o.weight, o.time, o.label = c.Source, c.Target, c.Weight, c.Time, c.Label
	o.text = o.options.IDs == TextIDs || o.options.IDs == "" && !s.integerIDs()
	if o.kinds = [2]string{names[c.Source], names[c.Target]}; o.kinds[0] == "" || o.kinds[1] == "" {
		o.kinds = [2]string{"source", "target"}
	}
	if kinds := [2]string{group(names[c.Source]), group(names[c.Target])}; kinds[0] != "" && kinds[1] != "" {
		o.kinds = kinds
	}
	if c.TwoMode {
		o.twoMode = fmt.Sprintf("columns %s and %s are different kinds of vertices", quoted(names[c.Source]), quoted(names[c.Target]))
	}
	o.dates = c.Time >= 0 && s.dates(c.Time)
	o.labelText = c.Label >= 0 && !s.holds(c.Label, isWhole)
	o.said = c.Said + o.said
	for _, w := range c.Warnings {
		o.warn(w)
	}
	s.warnings()
	return nil
}
