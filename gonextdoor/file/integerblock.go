package file

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"unsafe"
)

// integerBlock parses a block whose ids are integers. T is uint32 for narrow ids and int64 for wide ones.
type integerBlock[T uint32 | int64] struct {
	*layout
	text []byte // of the block, followed by padding
	end  int    // length of the text without padding
	pair edgeEnds[T]
	attributes
	edges   int // parsed so far
	lines   int // read so far
	largest T   // largest id; meaningful for narrow ids only
	limit   uint64
}

// parse parses the block. Lines in the common form take the fast path of fastLines, all others that of line.
func (r *integerBlock[T]) parse() *fault {
	if r.quoted(r.text[:r.end]) {
		return r.records(r.text[:r.end])
	}
	common := r.src == 0 && r.dst == 1 && (r.columns == 2 || r.columns == 3 && r.weight == 2)
	for at := 0; at < r.end; {
		if common {
			if at = r.fastLines(at); at == r.end {
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

// fastLines parses lines of two ids and an optional decimal weight with single separators, from offset at on. It stops at the
// first line in another form and returns its offset, or r.end.
//
// Ids are read eight digits at a time without branches per digit; the padding after the block makes the loads safe.
func (r *integerBlock[T]) fastLines(at int) int {
	separator, alternative := r.delimiter, r.delimiter
	if separator == 0 {
		separator, alternative = ' ', '\t'
	}
	text, src, dst, edges, largest := r.text, r.pair.src, r.pair.dst, r.edges, r.largest
	base, limit, weighted := r.base, r.limit, r.columns == 3
	first := edges
	for at < r.end {
		// 1. Two ids and the separator between them.
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
		// 2. The weight, if there is a third column.
		if weighted {
			weight, k := decimal(text[p+1 : r.end])
			if k == 0 || (text[p] != separator && text[p] != alternative) {
				break
			}
			r.weights[edges] = weight
			p += 1 + k
		}
		// 3. The end of the line. Nothing is stored before it was found.
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

// line parses a line of any form.
func (r *integerBlock[T]) line(line []byte) *fault {
	if r.skipped(line) {
		return nil
	}
	c, why := r.cells(line)
	if why != "" {
		return &fault{line: r.lines, text: line, why: why}
	}
	return r.edge(line, &c)
}

// records parses a block that has quoted fields.
func (r *integerBlock[T]) records(text []byte) *fault {
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

// edge adds an edge, or returns the fault of its line. A narrow block returns a fault with wide set if an id needs 64 bits.
func (r *integerBlock[T]) edge(line []byte, c *cells) *fault {
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
func (r *integerBlock[T]) narrow() bool { var z T; return unsafe.Sizeof(z) == 4 }
