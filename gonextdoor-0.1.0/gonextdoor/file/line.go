package file

import (
	"bytes"
	"fmt"
	"path/filepath"
	"unicode/utf8"
)

// fault describes the first bad line of a block.
type fault struct {
	line int // from 1 within the block
	text []byte
	why  string
	wide bool // the line is valid, but an id needs a wide pair
}

// blank reports whether r is white space within a line.
func blank(r rune) bool { return r == ' ' || r == '\t' || r == '\r' || r == '\v' || r == '\f' }

// plural returns a number with its noun: "1 column", "2 columns".
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// shortened returns the first 60 bytes of a line for an error message, cut between characters.
func shortened(text []byte) string {
	const most = 60
	text = bytes.TrimRight(text, "\r\n")
	if len(text) <= most {
		return string(text)
	}
	text = text[:most]
	for len(text) > most-utf8.UTFMax && !utf8.Valid(text) {
		text = text[:len(text)-1]
	}
	return string(text) + "..."
}

// quoted quotes a column name as Python does.
func quoted(name string) string { return "'" + shortened([]byte(name)) + "'" }

// base returns the last element of a path, shortened for a message.
func base(path string) string { return shortened([]byte(filepath.Base(path))) }
