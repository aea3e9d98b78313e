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

const rawBuffer = 256 << 10 // bytes per read system call

// source reads the text of a file and decompresses it. It is not safe for concurrent use: blocks calls it under a lock.
type source struct {
	path     string
	file     *os.File
	size     int64 // in bytes when the file was opened; -1: not a regular file
	consumed int64 // compressed bytes read so far
	job      *job.Job
	codec    string // "", "gzip", "zstd"
	text     io.Reader
	close    func() // frees the decoder
}

// magics lists the first bytes of files that are not text: the codec of a file that can be decompressed, or the reason for
// refusing it and what to do instead.
var magics = []struct{ magic, codec, refusal string }{
	{"\x1f\x8b", "gzip", ""},
	{"\x28\xb5\x2f\xfd", "zstd", ""},
	{"BZh", "", "is compressed with bzip2, which is not supported: unpack it with bunzip2"},
	{"\xfd7zXZ\x00", "", "is compressed with xz, which is not supported: unpack it with unxz"},
	{"PK\x03\x04", "", "is a zip archive (npz is one too): unpack it, or read it in Python (scipy.sparse.load_npz, Graph.from_scipy)"},
	{"PAR1", "", "is a parquet file: read it in Python (gonextdoor.read, or pandas and Graph.from_pandas)"},
	{"\x93NUMPY", "", "is a single numpy array: give the folder that holds the whole graph, or use Graph.from_edges"},
	{"\x89HDF", "", "is an HDF5 file, which is not supported"},
	{"\xff\xfe", "", "is UTF-16 text: convert it to UTF-8"},
	{"\xfe\xff", "", "is UTF-16 text: convert it to UTF-8"},
}

// openSource opens a file and detects its compression from the first bytes. The caller must call Close.
func openSource(path string, j *job.Job) (*source, error) {
	flags := os.O_RDONLY
	if st, err := os.Stat(path); err == nil && st.Mode()&os.ModeNamedPipe != 0 {
		flags |= unix.O_NONBLOCK // a blocking open waits for a writer and cannot be interrupted
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

// start waits for the first bytes, rejects files that are not text, and creates the decoder.
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
		// Concurrency 1 decodes in the calling goroutine, since only one worker reads at a time. 128 MB is the largest
		// window of zstd -22.
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

// Close closes the file and frees the decoder.
func (s *source) Close() {
	s.close()
	s.file.Close()
}

// Read returns the next decompressed bytes. Its error is io.EOF or a description of the fault in the file.
func (s *source) Read(p []byte) (int, error) {
	n, err := s.text.Read(p)
	return n, s.explain(err)
}

var errShrunk = errors.New("became shorter")

// explain turns an error of the decoder into one that names the file, the fault and its position.
func (s *source) explain(err error) error {
	var system *os.PathError
	switch {
	case err == nil, err == io.EOF, errors.As(err, &system), errors.Is(err, refuse.ErrInterrupted):
		return err
	case errors.Is(err, errShrunk):
		return refuse.Format("%s: the file became shorter while it was read: it had %d bytes, then %d", s.path, s.size, s.consumed)
	case errors.Is(err, io.ErrUnexpectedEOF):
		return refuse.Format("%s: the file ends in the middle of its %s data, after %d bytes: an interrupted download?",
			s.path, s.codec, s.consumed)
	default:
		return refuse.Format("%s: the %s data is damaged within the first %d bytes of the file: %w", s.path, s.codec, s.consumed, err)
	}
}

// rawReader reads the compressed bytes. It adds them to the job, returns an error when the job is stopped, and detects a
// file that became shorter.
type rawReader struct{ s *source }

func (r rawReader) Read(p []byte) (int, error) {
	if err := r.s.job.Err(); err != nil {
		return 0, err
	}
	n, err := r.s.wait(p)
	r.s.consumed += int64(n)
	r.s.job.Add(int64(n))
	if err == io.EOF && r.s.consumed < r.s.size {
		err = errShrunk
	}
	return n, err
}

// pollInterval is the time between two checks of the job while a pipe has no data.
const pollInterval = 100 * time.Millisecond

// awaitWriter waits until a named pipe has data or had a writer. Before that, a read would return the end of the file.
func (s *source) awaitWriter() error {
	conn, err := s.file.SyscallConn()
	for n := 0; err == nil && n == 0; {
		if err := s.job.Err(); err != nil {
			return err
		}
		var failed error
		err = conn.Control(func(descriptor uintptr) {
			n, failed = unix.Poll([]unix.PollFd{{Fd: int32(descriptor), Events: unix.POLLIN}}, int(pollInterval/time.Millisecond))
		})
		if err == nil && failed != nil && failed != unix.EINTR {
			err = &os.PathError{Op: "poll", Path: s.path, Err: failed}
		}
		n = max(n, 0)
	}
	return err
}

// wait reads from the file. A pipe or a terminal may never send data, so wait checks the job every pollInterval.
func (s *source) wait(p []byte) (n int, err error) {
	for {
		if s.size < 0 {
			s.file.SetReadDeadline(time.Now().Add(pollInterval)) // fails for devices that never block, which need none
		}
		if n, err = s.file.Read(p); !errors.Is(err, os.ErrDeadlineExceeded) {
			return n, err
		}
		if err := s.job.Err(); err != nil {
			return 0, err
		}
	}
}

// suffix returns the extension of a file name in lower case, ignoring that of the compression: "csv" for a.CSV.gz.
func suffix(path string) string {
	name := strings.ToLower(filepath.Base(path))
	for _, z := range []string{".gz", ".gzip", ".zst", ".zstd"} {
		name = strings.TrimSuffix(name, z)
	}
	return strings.TrimPrefix(filepath.Ext(name), ".")
}
