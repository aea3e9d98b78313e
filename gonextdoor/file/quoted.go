package file

import (
	"bytes"
	"encoding/csv"
	"errors"
	"io"
	"strings"
)

// records are the records of a text with quoted fields, as encoding/csv reads them.
type records struct {
	text   []byte
	reader *csv.Reader
	line   int      // number of the record's first line, from 1
	fields []string // of the record, without the blanks around fields that are not quoted
	why    string   // the text is not what it should be

	at   int // offset of a line of the text
	atNo int // its number
}

func newRecords(text []byte, delimiter byte) *records {
	r := &records{text: text, reader: csv.NewReader(bytes.NewReader(text)), atNo: 1}
	r.reader.Comma = rune(delimiter)
	r.reader.FieldsPerRecord = -1
	r.reader.ReuseRecord = true
	r.reader.TrimLeadingSpace = delimiter != '\t' // which is a blank too
	return r
}

// next reads the next record that is not blank. It returns false after the last one and at a fault.
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

// isQuoted reports whether a field of the record is enclosed in quotes.
func (r *records) isQuoted(field int) bool {
	line, column := r.reader.FieldPos(field)
	r.seek(line)
	at := r.at + column - 1
	return at < len(r.text) && r.text[at] == '"'
}

// raw returns the first line of the record as it is written.
func (r *records) raw() []byte {
	r.seek(r.line)
	line, _, _ := bytes.Cut(r.text[r.at:], []byte{'\n'})
	return line
}

// seek moves to a line.
func (r *records) seek(line int) {
	if line < r.atNo {
		r.at, r.atNo = 0, 1
	}
	for ; r.atNo < line; r.atNo++ {
		r.at += bytes.IndexByte(r.text[r.at:], '\n') + 1
	}
}

// fault returns what ended the records, or nil.
func (r *records) fault() *fault {
	if r.why == "" {
		return nil
	}
	return &fault{line: r.line, text: r.raw(), why: r.why}
}
