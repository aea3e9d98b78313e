package file

import (
	"bytes"
	"io"
	"strings"

	"gonextdoor/gonextdoor/refuse"
)

// opening reads the first lines of a text until the layout is known. What follows them is left in block.
type opening struct {
	blocks *blocks
	block  block
	lines  int // that stand before block.text
	*layout
	options Options
}

// peek gives the next line without passing it, or the error behind the last line.
func (o *opening) peek() ([]byte, error) {
	for len(o.block.text) == 0 {
		if err := o.blocks.Take(&o.block); err != nil {
			if err == errLong {
				err = o.refuse(o.lines+1, o.blocks.rest, err.Error())
			}
			return nil, err
		}
		if o.block.number == 0 {
			o.block.text = bytes.TrimPrefix(o.block.text, []byte("\xef\xbb\xbf")) // a byte order mark
		}
	}
	line, _, _ := bytes.Cut(o.block.text, []byte{'\n'})
	return line, nil
}

// pass leaves a line behind.
func (o *opening) pass(line []byte) {
	o.block.text = o.block.text[len(line)+1:]
	o.lines++
}

// edge gives the first line that is not skipped, without passing it.
func (o *opening) edge() ([]byte, error) {
	for {
		line, err := o.peek()
		if err == io.EOF && o.lines == 0 {
			return nil, refuse.Format("%s: the file is empty behind its compression, expected a list of edges", o.path)
		}
		if err == io.EOF {
			return nil, refuse.Format("%s: there is no edge in the file, only %s", o.path, plural(o.lines, "blank or comment line"))
		}
		if err != nil || !o.skipped(line) {
			return line, err
		}
		o.pass(line)
	}
}

// settle finds the layout by the format.
func (o *opening) settle(format string) error {
	o.comments = true
	first, err := o.peek()
	if err != nil && err != io.EOF {
		return err
	}
	if format == "mtx" || format == "" && bytes.HasPrefix(first, []byte("%%MatrixMarket")) {
		return o.matrix()
	}
	line, err := o.edge()
	if err != nil {
		return err
	}
	if bytes.IndexByte(line, 0) >= 0 {
		return o.refuse(o.lines+1, line, "it has a NUL byte: is this a text file?")
	}
	switch {
	case format == "csv":
		o.delimiter = separator(line)
	case format == "tsv":
		o.delimiter = '\t'
	case format == "" && len(bytes.Fields(line)) == 1 && bytes.IndexByte(line, ',') > 0:
		o.delimiter = ','
	default:
		return o.rows(line, nil)
	}
	o.comments = false // ids like #tag are common in csv: only what stands before the table is a comment
	return o.table(line)
}

// separator gives the character between the fields of a csv file, which not everybody takes to be a comma.
func separator(line []byte) byte {
	for _, c := range []byte(",;\t|") {
		if bytes.IndexByte(line, c) >= 0 {
			return c
		}
	}
	return ','
}

// table settles a csv or tsv file, whose first line may be a header.
func (o *opening) table(line []byte) error {
	first, err := o.split(line)
	if err != nil {
		return err
	}
	src, dst := column(first, sourceNames), column(first, targetNames)
	named := src >= 0 && dst >= 0
	if !named && !o.unnamedHeader(first, line) {
		return o.rows(line, nil)
	}
	if named {
		o.src, o.dst = src, dst
	}
	o.pass(line)
	if line, err = o.edge(); err != nil {
		return err
	}
	return o.rows(line, first)
}

// unnamedHeader says whether the first line is a header of names that are not known: it has no integer where the next
// line has two.
func (o *opening) unnamedHeader(first []string, line []byte) bool {
	if len(first) < 2 || isInteger(first[0]) || isInteger(first[1]) {
		return false
	}
	next, _, whole := bytes.Cut(o.block.text[len(line)+1:], []byte{'\n'})
	second, err := o.split(next)
	return whole && err == nil && len(second) >= 2 && isInteger(second[0]) && isInteger(second[1])
}

// split gives the fields of the current line.
func (o *opening) split(line []byte) ([]string, error) {
	var all []string
	if _, fault := o.fields(line, func(_ int, f []byte) { all = append(all, string(f)) }); fault != "" {
		return nil, o.refuse(o.lines+1, line, fault)
	}
	return all, nil
}

// rows settles what the first line with an edge shows: the number of columns, the kind of ids, and the weights.
func (o *opening) rows(line []byte, header []string) error {
	first, err := o.split(line)
	if err != nil {
		return err
	}
	o.columns = len(first)
	if header != nil && len(header) != len(first) {
		return o.refuse(o.lines+1, line, "it has "+plural(len(first), "column")+", the header has "+plural(len(header), "column"))
	}
	if o.columns < 2 {
		return o.refuse(o.lines+1, line, "it has 1 column, expected two ids")
	}
	o.text = !isInteger(first[o.src]) || !isInteger(first[o.dst])
	return o.weigh(line, first, header)
}

// weightColumn gives the column that may hold weights, or -1.
func (o *opening) weightColumn(header []string) int {
	switch {
	case o.columns == 3:
		return 3 - o.src - o.dst
	case o.options.Weighted == Required && header == nil && o.columns > 3:
		return 2
	}
	return -1
}

// weigh settles which column of weights is read. One that the header names so is, whatever its first entry: if that is
// missing, the file is refused and does not become a graph without weights.
func (o *opening) weigh(line []byte, first, header []string) error {
	weight := column(header, weightNames)
	named := weight >= 0
	if !named {
		weight = o.weightColumn(header)
	}
	switch o.options.Weighted {
	case Required:
		if weight < 0 {
			return o.refuse(o.lines+1, line, "it has no column of weights, but weighted=True; expected three columns")
		}
		o.weight = weight
	case Auto:
		if named || weight >= 0 && isNumber(first[weight]) {
			o.weight = weight
		}
	}
	return nil
}

// isInteger says whether a field is written as an integer, however large.
func isInteger(s string) bool {
	s = strings.TrimPrefix(s, "-")
	return s != "" && strings.Trim(s, "0123456789") == ""
}

func isNumber(s string) bool {
	_, fault := number([]byte(s))
	return fault != faultNoNumber
}
