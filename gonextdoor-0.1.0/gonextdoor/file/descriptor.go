package file

import (
	"errors"

	"golang.org/x/sys/unix"

	"gonextdoor/gonextdoor/job"
)

const (
	filePiece = 4 << 20 // bytes written to a regular file between two checks of the job
	pipePiece = 4 << 10 // bytes that a writable pipe accepts without blocking (PIPE_BUF)
	pipeWait  = 100     // milliseconds between two checks of the job while a pipe is full
)

// descriptor writes to a file that the caller opened and closes. It checks the job before each piece and while a pipe is
// full, so a stopped job ends a write early.
type descriptor struct {
	fd      int
	regular bool
	job     *job.Job
}

func newDescriptor(fd int, j *job.Job) (*descriptor, error) {
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return nil, err
	}
	return &descriptor{fd, st.Mode&unix.S_IFMT == unix.S_IFREG, j}, nil
}

// Write writes all of p, or returns the number of bytes written and an error.
func (d *descriptor) Write(p []byte) (written int, err error) {
	piece := filePiece
	if !d.regular {
		piece = pipePiece
	}
	for written < len(p) {
		if err := d.job.Err(); err != nil {
			return written, err
		}
		if !d.regular && !d.writable() {
			continue
		}
		n, err := unix.Write(d.fd, p[written:min(len(p), written+piece)])
		switch {
		case errors.Is(err, unix.EINTR), errors.Is(err, unix.EAGAIN):
		case err != nil:
			return written, err
		default:
			written += n
		}
	}
	return written, nil
}

// writable waits at most pipeWait until a write does not block, and reports whether to try one. After a failed poll it
// returns true, so that the write returns the error.
func (d *descriptor) writable() bool {
	polled := []unix.PollFd{{Fd: int32(d.fd), Events: unix.POLLOUT}}
	n, err := unix.Poll(polled, pipeWait)
	return n > 0 || err != nil && !errors.Is(err, unix.EINTR)
}
