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

// gzipLevel is the compression level. On files of walks it gives 2 % smaller files than the default level 6, in two thirds of
// the time.
const gzipLevel = 3

// packer compresses blocks of text and writes them to a file.
//
// Each gzip block is a member, and workers compress members in parallel. zstd output is one frame, compressed in order, since
// many readers, including Python's zstandard, stop after the first frame.
//
// Several workers may call pack at a time; calls of write must be serialised.
type packer struct {
	to      io.Writer
	members []member      // one per worker; nil unless the codec is gzip
	frame   *zstd.Encoder // nil unless the codec is zstd
	empty   bool          // nothing has been written yet
}

// member is the gzip compressor of a worker, which all its blocks reuse.
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

// pack compresses a block in the worker that formatted it. Blocks of other codecs are returned unchanged. The result is valid until
// the worker's next call.
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

// write writes a block that pack returned. It must be called in the order of the blocks.
func (p *packer) write(packed []byte) error {
	p.empty = false
	if p.frame != nil {
		_, err := p.frame.Write(packed)
		return err
	}
	_, err := p.to.Write(packed)
	return err
}

// close completes the file. If writing failed, it returns err unchanged. An empty gzip file gets one empty member.
func (p *packer) close(err error) error {
	if err == nil && p.empty && p.members != nil {
		var packed []byte
		if packed, err = p.pack(0, nil); err == nil {
			err = p.write(packed)
		}
	}
	if err == nil && p.frame != nil { // with concurrency 1 the encoder has no goroutines to stop after an error
		err = p.frame.Close()
	}
	return err
}

// turns serialises the workers in the order of their blocks. All methods may be called by several threads.
type turns struct {
	mu        sync.Mutex
	changed   *sync.Cond
	next      int // number of the next block
	abandoned bool
}

var errAbandoned = errors.New("an earlier block failed")

func newTurns() *turns {
	t := &turns{}
	t.changed = sync.NewCond(&t.mu)
	return t
}

// run waits until all earlier blocks have run and calls f. It returns errAbandoned if one of them failed, or the error of f.
func (t *turns) run(block int, f func() error) error {
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

// abandon makes all waiting and later calls of run fail.
func (t *turns) abandon() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.abandoned = true
	t.changed.Broadcast()
}
