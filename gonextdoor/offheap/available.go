package offheap

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"gonextdoor/gonextdoor/refuse"
)

// Check refuses a need of so many bytes that the machine (or its container) cannot give now.
func Check(bytes int64) error {
	if left := Available(); left >= 0 && bytes > left {
		return refuse.Memory("%s needed, %s available", human(bytes), human(left))
	}
	return nil
}

// arena is what Go asks of the system at least when its heap grows.
const arena = 64 << 20

// promises are the growths of Go's heap that were let through a moment ago, and may not be seen in what is available.
var promises struct {
	sync.Mutex
	all []promise
}

type promise struct {
	bytes int64
	until time.Time
}

// CheckHeap refuses to let Go's heap grow by so many bytes if they cannot be had now. Go ends the process when the system
// refuses memory to it, so whatever grows there by much asks first. A need of less than 4 MB is not looked at. What other
// threads were granted counts for as long as it takes them to touch it, at 1 GB/s.
func CheckHeap(bytes int64) error {
	if bytes < 4<<20 {
		return nil
	}
	promises.Lock()
	defer promises.Unlock()
	now := time.Now()
	promises.all = slices.DeleteFunc(promises.all, func(p promise) bool { return p.until.Before(now) })
	left := Available()
	if left < 0 {
		return nil
	}
	for _, p := range promises.all {
		left -= p.bytes
	}
	if bytes > left-arena {
		return refuse.Memory("%s more needed for samples as they grow, %s available: sample in pieces, with first_id",
			human(bytes), human(max(0, left-arena)))
	}
	promises.all = append(promises.all, promise{bytes, now.Add(time.Duration(min(bytes, 1<<40)) + time.Millisecond)})
	return nil
}

// HeapLeft returns the bytes by which Go's heap can still grow, or -1 if that is not known.
func HeapLeft() int64 {
	left := Available()
	if left < 0 {
		return left
	}
	return max(0, left-arena)
}

// Limited reports whether the address space of this process has a limit (RLIMIT_AS, ulimit -v).
func Limited() bool { return addresses() >= 0 }

// addresses returns the bytes of addresses that are left under the limit of the process, or -1 if there is none.
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

// Available gives the bytes that can still be had without swapping: the least of the system's, the container's, and of
// the addresses that the process may still use; or -1 where none is known.
func Available() int64 {
	left := int64(-1)
	for line := range strings.Lines(readAll("/proc/meminfo")) {
		if f := strings.Fields(line); len(f) >= 2 && f[0] == "MemAvailable:" {
			if kb, err := strconv.ParseInt(f[1], 10, 64); err == nil {
				left = kb << 10
			}
		}
	}
	if limit, used := cgroup("memory.max"), cgroup("memory.current"); limit > 0 && used >= 0 {
		if room := max(limit-used, 0); left < 0 || room < left {
			left = room
		}
	}
	if room := addresses(); room >= 0 && (left < 0 || room < left) {
		left = room
	}
	return left
}

// cgroup reads a number of this process's version-2 control group, or -1.
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

func readAll(path string) string {
	b, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	return string(b)
}

func human(n int64) string {
	if n < 1<<30 {
		return fmt.Sprintf("%.1f MB", float64(n)/1e6)
	}
	return fmt.Sprintf("%.1f GB", float64(n)/1e9)
}
