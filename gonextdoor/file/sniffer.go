package file

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"gonextdoor/gonextdoor/file/internal/dialect"
	"gonextdoor/gonextdoor/refuse"
)

// sniffer reads the first lines of a text until the layout is known. The rest of the last block that it has read stays in
// block, with which the parser starts. A sniffer is used by one goroutine.
type sniffer struct {
	blocks  *blocks
	block   block
	lines   int      // before block.text
	konect  []string // words of the comment of KONECT with the kind of the graph, or nil
	comment string   // the last one before the first edge, which may name the columns
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
				if other := dialect.Foreign(o.blocks.rest); other != "" {
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
		if f := strings.Fields(string(line)); len(f) > 1 && f[0] == "%" && (f[1] == "sym" || f[1] == "asym" || f[1] == "bip") {
			o.konect = f[1:]
		}
		o.comment = string(line)
		if declaresTwoModes(line) {
			o.twoMode = fmt.Sprintf("line %d says: %s", o.lines+1, strconv.Quote(shortened(bytes.TrimSpace(line))))
		}
		if o.undirected == "" && declaresUndirected(line) {
			o.undirected = fmt.Sprintf("line %d says: %s", o.lines+1, strconv.Quote(shortened(bytes.TrimSpace(line))))
		}
		o.pass(line)
	}
}

// heading returns the names of columns that the last comment may have, separated as the columns are, or by tabs in text
// separated by blanks.
func (o *sniffer) heading() []string {
	separator := "\t"
	if o.delimiter != 0 {
		separator = string(o.delimiter)
	}
	return strings.Split(strings.TrimSpace(strings.TrimLeft(o.comment, "#% \t")), separator)
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

// declaresUndirected reports whether a comment line declares the edges undirected, as "# Undirected graph:" in SNAP files and
// "% sym" in KONECT files do.
func declaresUndirected(comment []byte) bool {
	words := strings.Fields(strings.ToLower(string(bytes.TrimLeft(bytes.TrimSpace(comment), "#% "))))
	if len(words) == 0 {
		return false
	}
	if words[0] == "sym" && bytes.HasPrefix(bytes.TrimSpace(comment), []byte("%")) {
		return true
	}
	return strings.Trim(words[0], ":,.") == "undirected"
}

// declaresTwoModes reports whether a comment line declares two kinds of vertices, as "% bip" in KONECT files does.
func declaresTwoModes(comment []byte) bool {
	words := strings.Fields(string(comment))
	return len(words) > 1 && words[0] == "%" && words[1] == "bip"
}
