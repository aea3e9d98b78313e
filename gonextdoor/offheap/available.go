package offheap

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"gonextdoor/gonextdoor/refuse"
)

// Check refuses a need of so many bytes that the machine (or its container) cannot give now.
func Check(bytes int64) error {
	if left := Available(); left >= 0 && bytes > left {
		return refuse.Memory("%s needed, %s available", human(bytes), human(left))
	}
	return nil
}

// Available gives the bytes that can still be had without swapping: the lesser of the system's and the container's,
// or -1 where neither is known.
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
