package file

import (
	"errors"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"gonextdoor/gonextdoor/refuse"
)

// replacement writes a folder atomically: to a temporary folder next to the target, which Commit then exchanges with it. The
// caller must call Abandon at the end, after Commit too.
type replacement struct {
	target string
	dir    string   // the temporary folder
	lock   *os.File // dir, open and locked, so that no other process removes it as stale
}

// startReplacement creates the temporary folder, after removing stale ones of dead processes. It refuses a target that holds
// anything but a graph, which may be partitioned or heterogeneous.
func startReplacement(target string) (*replacement, error) {
	target, err := filepath.Abs(target)
	if err != nil {
		return nil, err
	}
	if real, err := filepath.EvalSymlinks(target); err == nil {
		target = real
	}
	if err := checkTarget(target); err != nil {
		return nil, err
	}
	removeStale(filepath.Dir(target))
	lock, err := makePartial(target)
	if err != nil {
		return nil, err
	}
	return &replacement{target, lock.Name(), lock}, nil
}

// checkTarget returns an error unless the target does not exist, is an empty folder, or is the folder of a graph, which may be
// partitioned or heterogeneous.
func checkTarget(target string) error {
	st, err := os.Lstat(target)
	if os.IsNotExist(err) {
		return nil
	}
	if err != nil {
		return err
	}
	if !st.IsDir() {
		return refuse.Value("%s is a file; expected the name of a new folder, or of a graph's folder to replace", target)
	}
	unknown, entries, err := unknownEntry(target)
	if err != nil {
		return err
	}
	if unknown != "" {
		return refuse.Value("%s is not replaced: it contains %q, which is not part of a graph", target, unknown)
	}
	if _, err := readRecord(target); entries > 0 && err != nil {
		_, partitioned := readPartitionRecord(target)
		if _, hetero := readHeteroRecord(target); partitioned != nil && hetero != nil {
			return refuse.Value("%s is not replaced, since it is not the folder of a graph: %w", target, err)
		}
	}
	return nil
}

// Commit syncs the folder to disk, exchanges it with the target in one step, and removes the old graph.
func (r *replacement) Commit() error {
	if err := syncFolder(r.dir); err != nil {
		return err
	}
	if err := checkTarget(r.target); err != nil { // again: the target may have changed while the arrays were written
		return err
	}
	err := unix.Renameat2(unix.AT_FDCWD, r.dir, unix.AT_FDCWD, r.target, unix.RENAME_EXCHANGE)
	switch {
	case err == nil:
		os.RemoveAll(r.dir) // it holds the old graph now
	case errors.Is(err, unix.ENOENT):
		err = os.Rename(r.dir, r.target)
	default: // the file system cannot exchange folders
		err = r.exchangeInTwoSteps()
	}
	if err != nil {
		return err
	}
	return syncFolder(filepath.Dir(r.target))
}

// exchangeInTwoSteps renames the old graph, then the new one. Between the steps the target does not exist.
func (r *replacement) exchangeInTwoSteps() error {
	old := r.dir + ".old"
	if err := os.Rename(r.target, old); err != nil {
		return err
	}
	if err := os.Rename(r.dir, r.target); err != nil {
		return errors.Join(err, os.Rename(old, r.target))
	}
	os.RemoveAll(old)
	return nil
}

// Abandon removes the temporary folder, if it still exists, and releases its lock.
func (r *replacement) Abandon() {
	os.RemoveAll(r.dir)
	r.lock.Close()
}

// syncFolder flushes the directory entries of a folder to disk, so that renames survive a power failure.
func syncFolder(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := f.Sync(); err != nil && !errors.Is(err, unix.EINVAL) && !errors.Is(err, unix.ENOTSUP) {
		return err // EINVAL and ENOTSUP: some network file systems cannot sync folders
	}
	return nil
}
