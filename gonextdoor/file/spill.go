package file

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"slices"

	"gonextdoor/gonextdoor/graph/build"
	"gonextdoor/gonextdoor/refuse"
)

// spill stores arcs on disk in the order in which they were added. The file belongs to this process and is removed with the
// partial folder that it is in. It is used by one goroutine.
type spill struct {
	path   string
	buffer build.ArcList
	limit  int // arcs in the buffer before it is written
	blocks int
}

// spillArcs is the number of arcs that all spills of a conversion buffer together, some 36 bytes each.
const spillArcs = 1 << 18

// Add appends arc i of a list as an arc of a row.
func (s *spill) Add(from *build.ArcList, i int, row uint32) error {
	if s.buffer.Rows == nil {
		s.buffer = build.MakeArcList(from, s.limit)
	}
	s.buffer.Append(from, i, row)
	if len(s.buffer.Rows) < s.limit {
		return nil
	}
	return s.flush()
}

// flush writes the buffer to the end of the file, even if it is empty. The file is open during the call only, since there may be
// thousands.
func (s *spill) flush() error {
	b := &s.buffer
	f, err := os.OpenFile(s.path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o666)
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(f, 1<<16)
	var head [20]byte
	for i, n := range []int{len(b.Rows), len(b.Weights), len(b.Labels), len(b.Times)} {
		binary.LittleEndian.PutUint32(head[4*i:], uint32(n))
	}
	for _, part := range [][]byte{
		head[:16], bytesOf(b.Rows), bytesOf(b.Targets), bytesOf(b.IDs), bytesOf(b.Weights), bytesOf(b.Labels), bytesOf(b.Times),
	} {
		if _, err := w.Write(part); err != nil {
			f.Close()
			return err
		}
	}
	b.Reset()
	s.blocks++
	return errors.Join(w.Flush(), f.Close())
}

// complete writes all arcs, and an empty block as the end.
func (s *spill) complete() error {
	if len(s.buffer.Rows) > 0 {
		if err := s.flush(); err != nil {
			return err
		}
	}
	return s.flush()
}

// Each calls f with all arcs, and removes the file.
func (s *spill) Each(f func(*build.ArcList) error) error {
	if s.blocks > 0 {
		if err := errors.Join(readSpill(s.path, s.blocks, f), os.Remove(s.path)); err != nil {
			return err
		}
	}
	err := f(&s.buffer)
	s.buffer = build.ArcList{}
	return err
}

// readSpill calls f with the arcs in the given number of blocks of a file, or in all before an empty block if blocks is negative.
func readSpill(path string, blocks int, f func(*build.ArcList) error) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	r := bufio.NewReaderSize(file, 1<<20)
	var l build.ArcList
	for i := 0; i != blocks; i++ {
		if err := readArcs(r, &l); err != nil {
			return refuse.Format("%s: cannot be read back: %w", path, err)
		}
		if len(l.Rows) == 0 {
			break
		}
		if err := f(&l); err != nil {
			return err
		}
	}
	return nil
}

// readArcs reads a block of arcs.
func readArcs(r io.Reader, l *build.ArcList) error {
	var head [16]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return err
	}
	var n [4]int
	for i := range n {
		n[i] = int(binary.LittleEndian.Uint32(head[4*i:]))
	}
	l.Rows, l.Targets, l.IDs = resized(l.Rows, n[0]), resized(l.Targets, n[0]), resized(l.IDs, n[0])
	l.Weights, l.Labels, l.Times = resized(l.Weights, n[1]), resized(l.Labels, n[2]), resized(l.Times, n[3])
	for _, part := range [][]byte{
		bytesOf(l.Rows), bytesOf(l.Targets), bytesOf(l.IDs), bytesOf(l.Weights), bytesOf(l.Labels), bytesOf(l.Times),
	} {
		if _, err := io.ReadFull(r, part); err != nil {
			return err
		}
	}
	return nil
}

// resized returns a slice of n elements, in the memory of s if they fit.
func resized[T any](s []T, n int) []T { return slices.Grow(s[:0], n)[:n] }
