package file

import (
	"errors"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"gonextdoor/gonextdoor/refuse"
)

// replacement is a folder that is written beside the one it is to become, and takes its place when it is complete.
type replacement struct {
	target string
	dir    string // temporary folder for everything written until then
	held   *os.File
}

// startReplacement makes the temporary folder. It refuses a target that would lose something else than a graph.
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
	held, err := makePartial(target)
	if err != nil {
		return nil, err
	}
	return &replacement{target, held.Name(), held}, nil
}

// checkTarget refuses to replace anything but nothing, an empty folder, and the folder of a graph.
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
	entries, err := os.ReadDir(target)
	if err != nil {
		return err
	}
	known := map[string]bool{recordName: true}
	for _, a := range arrays {
		known[a.name+".npy"] = true
	}
	for _, e := range entries {
		if !known[e.Name()] {
			return refuse.Value("%s is not replaced: it holds %q, which is no part of a graph", target, e.Name())
		}
	}
	if _, err := readRecord(target); len(entries) > 0 && err != nil {
		return refuse.Value("%s is not replaced, since it is not the folder of a graph: %w", target, err)
	}
	return nil
}

// Commit puts the folder in the place of the target, in one step, and removes what was there.
func (r *replacement) Commit() error {
	if err := syncFolder(r.dir); err != nil {
		return err
	}
	if err := checkTarget(r.target); err != nil { // once more: writing may have taken an hour
		return err
	}
	err := unix.Renameat2(unix.AT_FDCWD, r.dir, unix.AT_FDCWD, r.target, unix.RENAME_EXCHANGE)
	switch {
	case err == nil:
		os.RemoveAll(r.dir) // now the old graph
	case errors.Is(err, unix.ENOENT):
		err = os.Rename(r.dir, r.target)
	default: // a file system that cannot exchange: for a moment there is neither
		err = r.exchangeByHand()
	}
	if err != nil {
		return err
	}
	return syncFolder(filepath.Dir(r.target))
}

func (r *replacement) exchangeByHand() error {
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

// Abandon removes all that was written; after Commit there is nothing to remove.
func (r *replacement) Abandon() {
	os.RemoveAll(r.dir)
	r.held.Close()
}

// syncFolder makes the names in a folder last through a power cut.
func syncFolder(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := f.Sync(); err != nil && !errors.Is(err, unix.EINVAL) && !errors.Is(err, unix.ENOTSUP) {
		return err // some network file systems cannot sync folders
	}
	return nil
}
