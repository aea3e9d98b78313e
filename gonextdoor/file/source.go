package file

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"golang.org/x/sys/unix"

	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/refuse"
)

const rawBuffer = 256 << 10 // bytes asked of the system at once

// source is the text of a file, decompressed.
type source struct {
	path  string
	file  *os.File
	size  int64 // when it was opened; -1: not a regular file
	taken int64 // bytes read of it so far
	job   *job.Job
	codec string // "", "gzip", "zstd"
	text  io.Reader
	close func()
}

// magics are the beginnings of files that are not text, and what to do about those that are not read.
var magics = []struct{ magic, codec, refusal string }{
	{"\x1f\x8b", "gzip", ""},
	{"\x28\xb5\x2f\xfd", "zstd", ""},
	{"BZh", "", "is compressed with bzip2, which is not read: unpack it with bunzip2"},
	{"\xfd7zXZ\x00", "", "is compressed with xz, which is not read: unpack it with unxz"},
	{"PK\x03\x04", "", "is a zip archive (npz is one too): unpack it, or read it in Python (scipy.sparse.load_npz, Graph.from_scipy)"},
	{"PAR1", "", "is a parquet file: read it in Python (gonextdoor.read, or pandas and Graph.from_pandas)"},
	{"\x93NUMPY", "", "is a single numpy array: give the folder that holds the whole graph, or use Graph.from_edges"},
	{"\x89HDF", "", "is an HDF5 file, which is not read"},
	{"\xff\xfe", "", "is UTF-16 text: convert it to UTF-8"},
	{"\xfe\xff", "", "is UTF-16 text: convert it to UTF-8"},
}

// openSource opens a file and finds out from its first bytes how it is compressed.
func openSource(path string, j *job.Job) (*source, error) {
	flags := os.O_RDONLY
	if st, err := os.Stat(path); err == nil && st.Mode()&os.ModeNamedPipe != 0 {
		flags |= unix.O_NONBLOCK // opening it would wait for a writer, and could not be stopped
	}
	f, err := os.OpenFile(path, flags, 0)
	if err != nil {
		return nil, err
	}
	s := &source{path: path, file: f, size: -1, job: j, close: func() {}}
	if err := s.start(); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

func (s *source) start() error {
	st, err := s.file.Stat()
	if err != nil {
		return err
	}
	if st.Mode().IsRegular() {
		s.size = st.Size()
	}
	if st.Mode()&os.ModeNamedPipe != 0 {
		if err := s.awaitWriter(); err != nil {
			return err
		}
	}
	raw := bufio.NewReaderSize(rawReader{s}, rawBuffer)
	head, err := raw.Peek(8)
	if err != nil && err != io.EOF {
		return s.explain(err)
	}
	if len(head) == 0 {
		return refuse.Format("%s: the file is empty, expected a list of edges", s.path)
	}
	for _, m := range magics {
		if bytes.HasPrefix(head, []byte(m.magic)) {
			if m.refusal != "" {
				return refuse.Format("%s %s", s.path, m.refusal)
			}
			s.codec = m.codec
		}
	}
	switch s.codec {
	case "gzip":
		z, err := gzip.NewReader(raw)
		if err != nil {
			return s.explain(err)
		}
		s.text = z
	case "zstd":
		// No goroutines of its own: the workers take turns. 128 MB is the largest window that zstd -22 asks for.
		z, err := zstd.NewReader(raw, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(128<<20))
		if err != nil {
			return s.explain(err)
		}
		s.text, s.close = z, z.Close
	default:
		s.text = raw
	}
	return nil
}

// Close closes the file.
func (s *source) Close() {
	s.close()
	s.file.Close()
}

// Read returns the next decompressed bytes. Its error is io.EOF or describes what is wrong with the file.
func (s *source) Read(p []byte) (int, error) {
	n, err := s.text.Read(p)
	return n, s.explain(err)
}

var errShrunk = errors.New("became shorter")

// explain describes an error of the file or of its decompression.
func (s *source) explain(err error) error {
	var system *os.PathError
	switch {
	case err == nil, err == io.EOF, errors.As(err, &system), errors.Is(err, refuse.ErrInterrupted):
		return err
	case errors.Is(err, errShrunk):
		return refuse.Format("%s: the file became shorter while it was read: it had %d bytes, then %d", s.path, s.size, s.taken)
	case errors.Is(err, io.ErrUnexpectedEOF):
		return refuse.Format("%s: the file ends in the middle of its %s data, after %d bytes: an interrupted download?",
			s.path, s.codec, s.taken)
	default:
		return refuse.Format("%s: the %s data is damaged within the first %d bytes of the file: %w", s.path, s.codec, s.taken, err)
	}
}

// rawReader reads the file itself: it counts for the job and the end, and stops when the job does.
type rawReader struct{ s *source }

func (r rawReader) Read(p []byte) (int, error) {
	if err := r.s.job.Err(); err != nil {
		return 0, err
	}
	n, err := r.s.wait(p)
	r.s.taken += int64(n)
	r.s.job.Add(int64(n))
	if err == io.EOF && r.s.taken < r.s.size {
		err = errShrunk
	}
	return n, err
}

// patience is how long a pipe may stay silent before the job is asked whether to go on.
const patience = 100 * time.Millisecond

// awaitWriter waits until a named pipe has data, or had a writer: until then a read would find its end.
func (s *source) awaitWriter() error {
	conn, err := s.file.SyscallConn()
	for n := 0; err == nil && n == 0; {
		if err := s.job.Err(); err != nil {
			return err
		}
		var failed error
		err = conn.Control(func(descriptor uintptr) {
			n, failed = unix.Poll([]unix.PollFd{{Fd: int32(descriptor), Events: unix.POLLIN}}, int(patience/time.Millisecond))
		})
		if err == nil && failed != nil && failed != unix.EINTR {
			err = &os.PathError{Op: "poll", Path: s.path, Err: failed}
		}
		n = max(n, 0)
	}
	return err
}

// wait reads from the file. A pipe or a terminal may stay silent for ever, and must not keep the job from stopping.
func (s *source) wait(p []byte) (n int, err error) {
	for {
		if s.size < 0 {
			s.file.SetReadDeadline(time.Now().Add(patience)) // refused by devices that never keep anybody waiting
		}
		if n, err = s.file.Read(p); !errors.Is(err, os.ErrDeadlineExceeded) {
			return n, err
		}
		if err := s.job.Err(); err != nil {
			return 0, err
		}
	}
}

// suffix returns the extension of a file name without that of its compression, in lower case: "csv" for a.CSV.gz.
func suffix(path string) string {
	name := strings.ToLower(filepath.Base(path))
	for _, z := range []string{".gz", ".gzip", ".zst", ".zstd"} {
		name = strings.TrimSuffix(name, z)
	}
	return strings.TrimPrefix(filepath.Ext(name), ".")
}
