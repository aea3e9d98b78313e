package file

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"gonextdoor/gonextdoor/refuse"
)

// sniffer reads the first lines of a text until the layout is known. The rest of the last block that it has read stays in
// block, with which the parser starts. A sniffer is used by one goroutine.
type sniffer struct {
	blocks *blocks
	block  block
	lines  int // before block.text
	*layout
	options Options
}

// peek returns the next line, or the next record of a text with quotes, without consuming it. After the last one it returns
// an error.
func (o *sniffer) peek() ([]byte, error) {
	for len(o.block.text) == 0 {
		if err := o.blocks.Next(&o.block); err != nil {
			if err == errLong {
				why := err.Error()
				if other := foreign(o.blocks.rest); other != "" {
					why = other
				}
				err = o.refuse(o.lines+1, o.blocks.rest, why)
			}
			return nil, err
		}
		if o.block.number == 0 {
			o.block.text = bytes.TrimPrefix(o.block.text, []byte("\xef\xbb\xbf")) // a byte order mark
		}
	}
	return o.first(o.block.text), nil
}

// first returns the first line, or the first record, of a text of complete lines.
func (o *sniffer) first(text []byte) []byte {
	end := bytes.IndexByte(text, '\n')
	for o.blocks.quoted && bytes.Count(text[:end], quoteMark)%2 == 1 {
		more := bytes.IndexByte(text[end+1:], '\n')
		if more < 0 {
			break
		}
		end += 1 + more
	}
	return text[:end]
}

// pass consumes a line that peek returned.
func (o *sniffer) pass(line []byte) {
	o.block.text = o.block.text[len(line)+1:]
	o.lines += 1 + bytes.Count(line, []byte{'\n'})
}

// edge consumes blank lines and comments, and returns the line after them without consuming it. It notes a comment that
// declares the edges undirected.
func (o *sniffer) edge() ([]byte, error) {
	for {
		line, err := o.peek()
		if err == io.EOF && o.lines == 0 {
			return nil, refuse.Format("%s: the file is empty after decompression, expected a list of edges", o.path)
		}
		if err == io.EOF {
			return nil, refuse.Format("%s: there is no edge in the file, only %s", o.path, plural(o.lines, "blank, comment or header line"))
		}
		if err != nil || !o.skipped(line) {
			return line, err
		}
		if o.undirected == "" && declaresUndirected(line) {
			o.undirected = fmt.Sprintf("line %d says: %s", o.lines+1, strconv.Quote(shortened(bytes.TrimSpace(line))))
		}
		o.pass(line)
	}
}

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
		o.delimiter = separator(line)
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

// separator returns the delimiter of a csv file: the first of , ; tab | that its first line contains.
func separator(line []byte) byte {
	for _, c := range []byte(",;\t|") {
		if bytes.IndexByte(line, c) >= 0 {
			return c
		}
	}
	return ','
}

// split returns the fields of a line, or of a record with quotes.
func (o *sniffer) split(line []byte) ([]string, error) {
	if o.quoted(line) {
		r := newRecords(append(bytes.Clone(line), '\n'), o.delimiter)
		if !r.next() && r.why != "" {
			return nil, o.refuse(o.lines+1, line, r.why)
		}
		return slices.Clone(r.fields), nil
	}
	var all []string
	o.fields(line, func(_ int, f []byte) { all = append(all, string(f)) })
	return all, nil
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

// warn adds a warning to the report.
func (o *sniffer) warn(text string) {
	if o.options.Report == nil {
		return
	}
	o.options.Report.Warnings = append(o.options.Report.Warnings, base(o.path)+": "+text)
}

// after returns the line that follows the next one, or nil if it is not in the block.
func (o *sniffer) after(line []byte) []byte {
	if rest := o.block.text[len(line)+1:]; len(rest) > 0 {
		return o.first(rest)
	}
	return nil
}

// kindsOfFields returns the kind of each field.
func kindsOfFields(fields []string) []Kind {
	kinds := make([]Kind, len(fields))
	for i, f := range fields {
		switch {
		case f == "":
			kinds[i] = Other
		case isInteger(f):
			kinds[i] = Int
		case isNumber(f):
			kinds[i] = Float
		default:
			kinds[i] = Text
		}
	}
	return kinds
}

// isInteger reports whether a field is a decimal integer of any size.
func isInteger(s string) bool {
	s = strings.TrimPrefix(s, "-")
	return s != "" && strings.Trim(s, "0123456789") == ""
}

// isNumber reports whether a field is a number, including those that are not valid weights.
func isNumber(s string) bool {
	_, fault := number([]byte(s))
	return fault != faultNoNumber
}
