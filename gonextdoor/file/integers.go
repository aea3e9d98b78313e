package file

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"unsafe"
)

// rows is a block being parsed into a part.
type rows[T uint32 | int64] struct {
	*layout
	text []byte // of the block, with the padding after it
	end  int    // of the text in it
	pair pair[T]
	attributes
	edges   int
	lines   int
	largest T // id; not kept of wide ones
	limit   uint64
}

// parse reads the lines of the block one after the other: those in the usual form fast, all others by line.
func (r *rows[T]) parse() *fault {
	if r.quoted(r.text[:r.end]) {
		return r.records(r.text[:r.end])
	}
	usual := r.src == 0 && r.dst == 1 && (r.columns == 2 || r.columns == 3 && r.weight == 2)
	for at := 0; at < r.end; {
		if usual {
			if at = r.usual(at); at == r.end {
				return nil
			}
		}
		next := at + bytes.IndexByte(r.text[at:r.end], '\n') + 1
		r.lines++
		if bad := r.line(r.text[at : next-1]); bad != nil {
			return bad
		}
		at = next
	}
	return nil
}

// usual reads lines of two ids and perhaps a decimal number with single separators, until the first other line, and
// gives its place.
func (r *rows[T]) usual(at int) int {
	separator, alternative := r.delimiter, r.delimiter
	if separator == 0 {
		separator, alternative = ' ', '\t'
	}
	text, src, dst, edges, largest := r.text, r.pair.src, r.pair.dst, r.edges, r.largest
	base, limit, weighted := r.base, r.limit, r.columns == 3
	first := edges
	for at < r.end {
		a, n := digits(binary.LittleEndian.Uint64(text[at:]))
		if n == 8 {
			a, n = moreDigits(text[at:], a)
		}
		p := at + n
		c := text[p]
		b, m := digits(binary.LittleEndian.Uint64(text[p+1:]))
		if m == 8 {
			b, m = moreDigits(text[p+1:], b)
		}
		a, b, p = a-base, b-base, p+1+m
		if n == 0 || m == 0 || (c != separator && c != alternative) || a > limit || b > limit {
			break
		}
		if weighted {
			weight, k := decimal(text[p+1 : r.end])
			if k == 0 || (text[p] != separator && text[p] != alternative) {
				break
			}
			r.weights[edges] = weight
			p += 1 + k
		}
		if text[p] == '\r' {
			p++
		}
		if text[p] != '\n' {
			break
		}
		src[edges], dst[edges] = T(a), T(b)
		largest = max(largest, T(a), T(b))
		edges++
		at = p + 1
	}
	r.lines += edges - first
	r.edges, r.largest = edges, largest
	return at
}

// line reads a line of any form.
func (r *rows[T]) line(line []byte) *fault {
	if r.skipped(line) {
		return nil
	}
	c, why := r.cells(line)
	if why != "" {
		return &fault{line: r.lines, text: line, why: why}
	}
	return r.edge(line, &c)
}

// records reads the records of a block with quotes.
func (r *rows[T]) records(text []byte) *fault {
	all := newRecords(text, r.delimiter)
	for all.next() {
		r.lines = all.line
		c, why := r.quotedCells(all)
		if why != "" {
			return &fault{line: r.lines, text: all.raw(), why: why}
		}
		if bad := r.edge(nil, &c); bad != nil {
			bad.text = all.raw()
			return bad
		}
	}
	r.lines = bytes.Count(text, []byte{'\n'})
	return all.fault()
}

// edge adds an edge, or returns what is wrong with its line.
func (r *rows[T]) edge(line []byte, c *cells) *fault {
	var ids [2]T
	for i, field := range [][]byte{c.src, c.dst} {
		v, why := integer(field)
		if r.size.given && why == "" && (v < 1 || uint64(v)-r.base > r.limit) {
			why = fmt.Sprintf("%d is not a row or column of a matrix of size %d", v, r.size.vertices)
		}
		if why != "" {
			return &fault{line: r.lines, text: line, why: why}
		}
		v -= int64(r.base)
		if uint64(v) > r.limit && r.narrow() {
			return &fault{wide: true}
		}
		ids[i] = T(v)
	}
	if why := r.read(r.edges, c); why != "" {
		return &fault{line: r.lines, text: line, why: why}
	}
	r.pair.src[r.edges], r.pair.dst[r.edges] = ids[0], ids[1]
	r.largest = max(r.largest, ids[0], ids[1])
	r.edges++
	return nil
}

// narrow reports whether the ids are stored in 32 bits.
func (r *rows[T]) narrow() bool { var z T; return unsafe.Sizeof(z) == 4 }
