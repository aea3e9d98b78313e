package file

import (
	"bytes"
	"fmt"
	"io"
	"slices"

	"gonextdoor/gonextdoor/refuse"
)

// detect determines the layout; format is that of the options, or "".
func (o *sniffer) detect(format string) error {
	// 1. A Matrix Market file has its own rules.
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
	// 2. Reject text that is not a list of edges.
	line, err := o.edge()
	if err != nil {
		return err
	}
	if bytes.IndexByte(line, 0) >= 0 {
		return o.refuse(o.lines+1, line, "it has a NUL byte: is this a text file?")
	}
	if why := foreign(o.block.text); why != "" {
		return o.refuse(o.lines+1, o.first(o.block.text), why)
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
	if len(first) == 1 {
		return o.refuse(o.lines+1, line, "it has 1 column, expected two ids; format='csv' also tries ; and | as separators")
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
func (o *sniffer) choose(line []byte, first, names []string) error {
	values := slices.Clone(first)
	if next, err := o.split(o.after(line)); err == nil && len(next) == len(first) {
		for i, v := range values { // the kind of an empty field is taken from the next line
			if v == "" {
				values[i] = next[i]
			}
		}
	}
	c, err := Choose(names, kindsOfFields(values), o.options.Columns)
	if err != nil {
		return err
	}
	o.columns = len(first)
	o.src, o.dst, o.weight, o.time, o.label = c.Source, c.Target, c.Weight, c.Time, c.Label
	o.text = !isInteger(first[o.src]) || !isInteger(first[o.dst])
	o.said = c.Said + o.said
	for _, w := range c.Warnings {
		o.warn(w)
	}
	weight := o.options.Columns.Weight
	if o.weight >= 0 && weight.Name == nil && weight.Number == nil && weight.Use != Required && knownRole(names[o.weight]) == "" {
		if v, why := integer([]byte(first[o.weight])); why == "" && v >= likelyTime {
			o.warn(fmt.Sprintf("column %d was read as weights, but %d looks like a time: time=%d reads times, "+
				"weight=%d reads these as weights", o.weight, v, o.weight, o.weight))
		}
	}
	return nil
}

// likelyTime is the smallest integer that is more likely to be a time in seconds since 1970 than a weight.
const likelyTime = 100_000_000
