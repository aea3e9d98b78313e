package file

import (
	"os"
	"runtime/debug"

	"golang.org/x/sys/unix"

	"gonextdoor/gonextdoor/refuse"
)

// openRegular opens a file of a folder for reading and returns its size in bytes. It rejects all but regular files: opening a
// named pipe would wait for a writer, and devices cannot be mapped.
func openRegular(path string) (*os.File, int64, error) {
	file, err := os.OpenFile(path, os.O_RDONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, 0, err
	}
	st, err := file.Stat()
	if err == nil && !st.Mode().IsRegular() {
		err = refuse.Format("%s is %s: expected a regular file", path, kindOf(st.Mode()))
	}
	if err != nil {
		file.Close()
		return nil, 0, err
	}
	return file, st.Size(), nil
}

// kindOf describes a file that is not regular.
func kindOf(mode os.FileMode) string {
	switch {
	case mode.IsDir():
		return "a folder"
	case mode&os.ModeNamedPipe != 0:
		return "a named pipe"
	case mode&os.ModeSocket != 0:
		return "a socket"
	default:
		return "a device"
	}
}

// catchFault runs f, which reads a mapped file, and returns an error if a page is missing because the file was truncated.
func catchFault(f func()) (err error) {
	previous := debug.SetPanicOnFault(true)
	defer func() {
		debug.SetPanicOnFault(previous)
		if p := recover(); p != nil {
			err = refuse.Format("a memory-mapped file cannot be read: %v", p)
		}
	}()
	f()
	return nil
}
