package offheap

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"gonextdoor/gonextdoor/refuse"
)

// Check returns a MemoryError if the machine or its container cannot provide the given number of bytes now. It reads a few
// files of /proc.
func Check(bytes int64) error {
	left := Available()
	if free := addresses(); free >= 0 { // leave addresses for the Go heap, since Go ends the process without them
		left = lesser(left, max(0, free-arena))
	}
	if left >= 0 && bytes > left {
		return refuse.Memory("%s needed, %s available", human(bytes), human(left))
	}
	return nil
}

// Limited reports whether the address space of this process has a limit (RLIMIT_AS, ulimit -v).
func Limited() bool { return addresses() >= 0 }

// addresses returns the bytes of address space that the limit of the process leaves, or -1 if there is no limit.
func addresses() int64 {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_AS, &limit); err != nil || limit.Cur >= 1<<62 {
		return -1
	}
	pages, _, _ := strings.Cut(readAll("/proc/self/statm"), " ")
	used, err := strconv.ParseInt(pages, 10, 64)
	if err != nil {
		return -1
	}
	return max(0, int64(limit.Cur)-used*int64(os.Getpagesize()))
}

// Available returns the bytes that can be allocated without swapping: the minimum over the system, the container, and the
// address space of the process. It returns -1 if none is known.
func Available() int64 { return lesser(physical(), addresses()) }

// physical returns the bytes that the system and the container can provide without swapping, or -1 if unknown.
func physical() int64 {
	left := int64(-1)
	for line := range strings.Lines(readAll("/proc/meminfo")) {
		if f := strings.Fields(line); len(f) >= 2 && f[0] == "MemAvailable:" {
			if kb, err := strconv.ParseInt(f[1], 10, 64); err == nil {
				left = kb << 10
			}
			break
		}
	}
	if limit, used := cgroup("memory.max"), cgroup("memory.current"); limit > 0 && used >= 0 {
		left = lesser(left, max(limit-used, 0))
	}
	return left
}

// lesser returns the smaller of two numbers of bytes; -1 means unknown.
func lesser(a, b int64) int64 {
	if a < 0 || b < 0 {
		return max(a, b)
	}
	return min(a, b)
}

// cgroup returns the number in a file of this process's control group (version 2), or -1.
func cgroup(file string) int64 {
	for line := range strings.Lines(readAll("/proc/self/cgroup")) {
		if path, ok := strings.CutPrefix(strings.TrimSpace(line), "0::"); ok {
			text := strings.TrimSpace(readAll(filepath.Join("/sys/fs/cgroup", path, file)))
			if n, err := strconv.ParseInt(text, 10, 64); err == nil {
				return n
			}
		}
	}
	return -1
}

// readAll returns the content of a file, or "" if it cannot be read.
func readAll(path string) string {
	b, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	return string(b)
}

// human formats a number of bytes for error messages.
func human(n int64) string {
	if n < 1<<30 {
		return fmt.Sprintf("%.1f MB", float64(n)/1e6)
	}
	return fmt.Sprintf("%.1f GB", float64(n)/1e9)
}
