package file

import (
	"bufio"
	"io"

	"github.com/klauspost/compress/gzip"
)

// gzipMembers decompresses the members of a gzip file one after another. Zero bytes after the last one, with which tapes and
// blocks are filled up, are skipped, as by gzip and Python.
type gzipMembers struct {
	member *gzip.Reader
	from   *bufio.Reader
}

func newGzipMembers(from *bufio.Reader) (*gzipMembers, error) {
	z, err := gzip.NewReader(from)
	if err != nil {
		return nil, err
	}
	z.Multistream(false)
	return &gzipMembers{z, from}, nil
}

// Read implements io.Reader.
func (g *gzipMembers) Read(p []byte) (int, error) {
	for {
		n, err := g.member.Read(p)
		if err != io.EOF {
			return n, err
		}
		if err := g.next(); err != nil || n > 0 {
			return n, err
		}
	}
}

// next begins the next member. It returns io.EOF if there is none.
func (g *gzipMembers) next() error {
	for {
		c, err := g.from.ReadByte()
		if err != nil {
			return err
		}
		if c != 0 {
			break
		}
	}
	if err := g.from.UnreadByte(); err != nil {
		return err
	}
	if err := g.member.Reset(g.from); err != nil {
		return err
	}
	g.member.Multistream(false)
	return nil
}
