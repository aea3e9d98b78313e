package file

import (
	"bytes"
	"encoding/csv"
	"errors"
	"io"
	"strings"
)

// records iterates over the records of a text with quoted fields, using encoding/csv.
type records struct {
	text   []byte
	reader *csv.Reader
	line   int      // number of the record's first line, from 1
	fields []string // of the record, trimmed unless quoted; valid until the next call of next
	why    string   // the fault that ended the iteration, or ""

	at   int // offset of line atNo, at which seek starts
	atNo int
}

func newRecords(text []byte, delimiter byte) *records {
	r := &records{text: text, reader: csv.NewReader(bytes.NewReader(text)), atNo: 1}
	r.reader.Comma = rune(delimiter)
	r.reader.FieldsPerRecord = -1
	r.reader.ReuseRecord = true
	r.reader.TrimLeadingSpace = delimiter != '\t' // it would trim the delimiter
	return r
}

// next advances to the next record that is not blank. It returns false after the last record and at a fault.
func (r *records) next() bool {
	for {
		fields, err := r.reader.Read()
		var fault *csv.ParseError
		switch {
		case err == io.EOF:
			return false
		case errors.As(err, &fault):
			r.line, r.why = fault.StartLine, "a quoted field does not end, or text follows its closing quote"
			if fault.Err == csv.ErrBareQuote {
				r.why = "there is a quote inside a field: enclose the field in quotes and write each of its quotes twice"
			}
			return false
		case err != nil:
			r.line, r.why = r.line+1, err.Error()
			return false
		}
		r.line, _ = r.reader.FieldPos(0)
		for i, f := range fields {
			if f != "" && (blank(rune(f[0])) || blank(rune(f[len(f)-1]))) && !r.isQuoted(i) {
				fields[i] = strings.TrimFunc(f, blank)
			}
		}
		if len(fields) > 1 || fields[0] != "" {
			r.fields = fields
			return true
		}
	}
}

// isQuoted reports whether a field of the current record is enclosed in quotes, which encoding/csv does not tell.
func (r *records) isQuoted(field int) bool {
	line, column := r.reader.FieldPos(field)
	r.seek(line)
	at := r.at + column - 1
	return at < len(r.text) && r.text[at] == '"'
}

// raw returns the first line of the current record, unparsed.
func (r *records) raw() []byte {
	r.seek(r.line)
	line, _, _ := bytes.Cut(r.text[r.at:], []byte{'\n'})
	return line
}

// seek sets at to the offset of a line. Lines in ascending order take linear time in total.
func (r *records) seek(line int) {
	if line < r.atNo {
		r.at, r.atNo = 0, 1
	}
	for ; r.atNo < line; r.atNo++ {
		r.at += bytes.IndexByte(r.text[r.at:], '\n') + 1
	}
}

// fault returns the fault that ended the iteration, or nil.
func (r *records) fault() *fault {
	if r.why == "" {
		return nil
	}
	return &fault{line: r.line, text: r.raw(), why: r.why}
}
