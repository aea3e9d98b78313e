package file

import (
	"bytes"
	"errors"
	"io"
	"sync"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"gonextdoor/gonextdoor/refuse"
)

// gzipLevel makes files of walks 2 % smaller than the default level 6 does, in two thirds of the time.
const gzipLevel = 3

// packer compresses blocks of text and writes them to a file.
//
// gzip blocks become members, which workers compress in parallel. zstd output is a single frame, compressed in order:
// many readers, Python's zstandard among them, stop after the first frame.
type packer struct {
	to      io.Writer
	members []member // one per worker; nil: not gzip
	frame   *zstd.Encoder
	empty   bool // nothing was written yet
}

// member is the gzip compressor of a worker.
type member struct {
	out bytes.Buffer
	zip *gzip.Writer
}

func newPacker(codec string, to io.Writer, workers int) (p *packer, err error) {
	p = &packer{to: to, empty: true}
	switch codec {
	case "":
	case "gzip":
		p.members = make([]member, workers)
	case "zstd":
		// Concurrency 1 compresses in the calling goroutine. An empty file still gets a frame.
		p.frame, err = zstd.NewWriter(to, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1),
			zstd.WithZeroFrames(true))
	default:
		err = refuse.Value(`codec = %q: expected "gzip", "zstd" or ""`, codec)
	}
	return p, err
}

// pack compresses a block in the worker that made it. The result is valid until the worker's next call.
func (p *packer) pack(worker int, text []byte) ([]byte, error) {
	if p.members == nil {
		return text, nil
	}
	m := &p.members[worker]
	m.out.Reset()
	if m.zip == nil {
		m.zip, _ = gzip.NewWriterLevel(&m.out, gzipLevel) // only an unknown level fails
	} else {
		m.zip.Reset(&m.out)
	}
	if _, err := m.zip.Write(text); err != nil {
		return nil, err
	}
	err := m.zip.Close()
	return m.out.Bytes(), err
}

// write writes a block that pack returned. Calls must be in the order of the blocks.
func (p *packer) write(packed []byte) error {
	p.empty = false
	if p.frame != nil {
		_, err := p.frame.Write(packed)
		return err
	}
	_, err := p.to.Write(packed)
	return err
}

// close completes the file, unless writing failed with err.
func (p *packer) close(err error) error {
	if err == nil && p.empty && p.members != nil {
		var packed []byte
		if packed, err = p.pack(0, nil); err == nil {
			err = p.write(packed)
		}
	}
	if err == nil && p.frame != nil { // after an error nothing more is written; the encoder has no goroutines to end
		err = p.frame.Close()
	}
	return err
}

// turns lets workers act in the order of their blocks.
type turns struct {
	mu        sync.Mutex
	changed   *sync.Cond
	next      int
	abandoned bool
}

var errAbandoned = errors.New("an earlier block failed")

func newTurns() *turns {
	t := &turns{}
	t.changed = sync.NewCond(&t.mu)
	return t
}

// take calls f when all earlier blocks have been taken. It returns errAbandoned if one of them failed.
func (t *turns) take(block int, f func() error) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	for t.next != block && !t.abandoned {
		t.changed.Wait()
	}
	if t.abandoned {
		return errAbandoned
	}
	if err := f(); err != nil {
		return err
	}
	t.next++
	t.changed.Broadcast()
	return nil
}

// abandon releases all waiting workers after a failure.
func (t *turns) abandon() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.abandoned = true
	t.changed.Broadcast()
}
