package file

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"unicode/utf8"

	"golang.org/x/sys/unix"

	"gonextdoor/gonextdoor/refuse"
)

// maxName is the number of bytes of the target's name that the name of a partial folder repeats. File names have at most 255
// bytes.
const maxName = 80

var partials = regexp.MustCompile(`^\..*\.gonextdoor-[0-9a-f]{16}\.partial$`)

// makePartial creates a new hidden folder next to a target, and returns it open and locked. The kernel releases the lock when
// the process ends for any reason, so a partial folder without a lock belongs to a dead process.
func makePartial(target string) (*os.File, error) {
	short := filepath.Base(target)
	short = short[:min(len(short), maxName)]
	for !utf8.ValidString(short) && utf8.ValidString(target) { // cut within a character
		short = short[:len(short)-1]
	}
	for range 100 {
		path := filepath.Join(filepath.Dir(target), fmt.Sprintf(".%s.gonextdoor-%s.partial", short, unique()))
		if err := os.Mkdir(path, 0o777); err != nil {
			return nil, err
		}
		folder, err := os.Open(path)
		if err != nil && !os.IsNotExist(err) {
			os.Remove(path)
			return nil, err
		}
		if err == nil && !lost(folder, path) {
			return folder, nil
		}
		folder.Close() // another process removed it as stale before it was locked
	}
	return nil, refuse.Value("%s: cannot create a partial folder next to it", target)
}

// unique returns 16 hexadecimal digits that no other process uses.
func unique() string { return fmt.Sprintf("%016x", rand.Uint64()) }

// lost locks a new partial folder, and reports whether another process locked or removed it first. On a file system without
// locks it returns false, and removeStale, which cannot lock either, removes nothing.
func lost(folder *os.File, path string) bool {
	if err := unix.Flock(int(folder.Fd()), unix.LOCK_EX|unix.LOCK_NB); errors.Is(err, unix.EWOULDBLOCK) {
		return true
	}
	mine, err := folder.Stat()
	if err != nil {
		return true
	}
	there, err := os.Lstat(path)
	return err != nil || !os.SameFile(mine, there)
}

// removeStale removes the partial folders that dead processes left in a folder. They have the name and content of a partial
// folder, belong to this user and are not locked. Errors are ignored, since the next save tries again.
func removeStale(folder string) {
	entries, _ := os.ReadDir(folder)
	for _, e := range entries {
		if partials.MatchString(e.Name()) && e.IsDir() {
			removeUnlocked(filepath.Join(folder, e.Name()))
		}
	}
}

// removeUnlocked removes a partial folder if it is stale.
func removeUnlocked(path string) {
	descriptor, err := unix.Open(path, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return
	}
	defer unix.Close(descriptor) // releases the lock as well
	var st unix.Stat_t
	if unix.Fstat(descriptor, &st) != nil || int(st.Uid) != os.Geteuid() || !onlyParts(path) {
		return
	}
	if unix.Flock(descriptor, unix.LOCK_EX|unix.LOCK_NB) == nil {
		os.RemoveAll(path)
	}
}

// onlyParts reports whether a folder contains only files of a graph.
func onlyParts(folder string) bool {
	unknown, _, err := unknownEntry(folder)
	return err == nil && unknown == ""
}
