package file

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"unicode/utf8"

	"golang.org/x/sys/unix"

	"gonextdoor/gonextdoor/refuse"
)

// nameLongest is the most bytes of the target's name that a partial folder's name repeats: names have 255 at most.
const nameLongest = 80

var partials = regexp.MustCompile(`^\..*\.gonextdoor-[0-9a-f]{16}\.partial$`)

// makePartial makes a new hidden folder beside a target, and returns it open and locked. The kernel takes the lock back
// when the process ends, however that happens: a partial folder without a lock was left by a process that died.
func makePartial(target string) (*os.File, error) {
	short := filepath.Base(target)
	short = short[:min(len(short), nameLongest)]
	for !utf8.ValidString(short) && utf8.ValidString(target) { // cut within a character
		short = short[:len(short)-1]
	}
	for range 100 {
		path := filepath.Join(filepath.Dir(target), fmt.Sprintf(".%s.gonextdoor-%016x.partial", short, rand.Uint64()))
		if err := os.Mkdir(path, 0o777); err != nil {
			return nil, err
		}
		held, err := os.Open(path)
		if err != nil && !os.IsNotExist(err) {
			os.Remove(path)
			return nil, err
		}
		if err == nil && !taken(held, path) {
			return held, nil
		}
		held.Close() // another save took it for a dead one before it was locked
	}
	return nil, refuse.Value("%s: no partial folder can be kept beside it", target)
}

// taken locks a new partial folder, and reports whether another process did that first. A file system without locks
// locks for nobody, and removeStale leaves it alone.
func taken(held *os.File, path string) bool {
	if err := unix.Flock(int(held.Fd()), unix.LOCK_EX|unix.LOCK_NB); errors.Is(err, unix.EWOULDBLOCK) {
		return true
	}
	mine, err := held.Stat()
	if err != nil {
		return true
	}
	there, err := os.Lstat(path)
	return err != nil || !os.SameFile(mine, there)
}

// removeStale removes partial folders that dead processes left in a folder: those with this package's
// name and content only, of this user, and not locked. Its errors are ignored: the next save tries again.
func removeStale(folder string) {
	entries, _ := os.ReadDir(folder)
	for _, e := range entries {
		if partials.MatchString(e.Name()) && e.IsDir() {
			removeUnlocked(filepath.Join(folder, e.Name()))
		}
	}
}

func removeUnlocked(path string) {
	descriptor, err := unix.Open(path, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return
	}
	defer unix.Close(descriptor) // and unlocks it
	var st unix.Stat_t
	if unix.Fstat(descriptor, &st) != nil || int(st.Uid) != os.Geteuid() || !onlyParts(path) {
		return
	}
	if unix.Flock(descriptor, unix.LOCK_EX|unix.LOCK_NB) == nil {
		os.RemoveAll(path)
	}
}

// onlyParts reports whether a folder holds nothing but files of a graph.
func onlyParts(folder string) bool {
	entries, err := os.ReadDir(folder)
	for _, e := range entries {
		name, isArray := strings.CutSuffix(e.Name(), ".npy")
		if !e.Type().IsRegular() || e.Name() != recordName && !(isArray && isArrayName(name)) {
			return false
		}
	}
	return err == nil
}

func isArrayName(name string) bool {
	for i := range arrays {
		if arrays[i].name == name {
			return true
		}
	}
	return false
}
