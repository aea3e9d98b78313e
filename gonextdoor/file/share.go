package file

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"gonextdoor/gonextdoor/graph/build"
	"gonextdoor/gonextdoor/job"
)

// A conversion to parts can be made by several processes that share a disk. One has the Conversion, whose Dir the others get.
// Each of these stores shares of the stream with a ShareWriter, then each builds parts with BuildPart, which the Conversion
// accepts. Share k is before share k+1 in the stream, so that rows have the order of one process. Files and folders get their
// names when they are complete. So work that was repeated, even while its first process continues, does no harm.

// ShareWriter stores the arcs of a share of a stream in files, one per part and one of the hot rows. It is used by one goroutine;
// call Close or Abandon at the end.
type ShareWriter struct {
	division
	dir   string
	share int
}

// NewShareWriter starts to store a share in the folder of a conversion. The counter is that of all shares.
func NewShareWriter(dir string, share int, c *build.RowCounter, p Partitioning, j *job.Job) *ShareWriter {
	return &ShareWriter{divide(c, p, dir, fmt.Sprintf("-%05d-%s", share, unique()), j), dir, share}
}

// Add stores the arcs of a block.
func (w *ShareWriter) Add(b build.EdgeBlock) error { return w.store(b) }

// Close completes the files and gives them their names.
func (w *ShareWriter) Close() error {
	defer w.Abandon()
	for i := range w.spills {
		if err := w.spills[i].complete(); err != nil {
			return err
		}
	}
	for i, s := range w.spills {
		if err := os.Rename(s.path, sharePath(w.dir, i, w.share)); err != nil {
			return err
		}
	}
	return nil
}

// Abandon removes the files that are not complete.
func (w *ShareWriter) Abandon() {
	for _, s := range w.spills {
		os.Remove(s.path)
	}
}

// sharePath returns the path of the arcs that a share has of a part.
func sharePath(dir string, part, share int) string {
	return filepath.Join(dir, spillName(part, fmt.Sprintf("-%05d", share)))
}

// BuildPart builds the rows of a part from all shares, and writes its folder to that of a conversion. The part after the last is
// that of the hot rows, if there are any. It returns the part's share of the fingerprint of symmetry. The job counts bytes.
func BuildPart(dir string, part, shares int, c *build.RowCounter, p Partitioning, noEdgeIDs bool, j *job.Job) (mirrored [2]uint64, err error) {
	if part == p.Owner.Parts() && len(p.Hot) == 0 {
		return mirrored, nil
	}
	d := division{NoEdgeIDs: noEdgeIDs, counter: c, owner: p.Owner, hot: p.Hot, job: j}
	rows, err := d.build(part, func(place func(*build.ArcList) error) error {
		for share := range shares {
			if err := readSpill(sharePath(dir, part, share), -1, place); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return mirrored, err
	}
	defer rows.Close()
	name, hash := partName(part), symmetry{}
	if part == p.Owner.Parts() {
		name = hotFolder
	} else {
		hash.add(rows, d.vertices(part))
	}
	target := filepath.Join(dir, name)
	partial := target + "-" + unique()
	defer os.RemoveAll(partial)
	if _, err := writeRows(partial, rows, p.Alias, j); err != nil {
		return mirrored, err
	}
	err = os.Rename(partial, target)
	if errors.Is(err, unix.ENOTEMPTY) || errors.Is(err, unix.EEXIST) { // the part was built by a process that was given up
		err = nil
	}
	return hash, err
}

// Dir returns the folder in which other processes store shares and build parts.
func (s *Conversion) Dir() string { return s.dir }

// Accept takes a part that BuildPart has built from a number of shares, and removes their arcs of it. Call Close after the last.
func (s *Conversion) Accept(part, shares int, mirrored [2]uint64) error {
	s.accepted = true
	if part == s.owner.Parts() && len(s.hot) == 0 {
		return nil
	}
	name := partName(part)
	if part == s.owner.Parts() {
		name = hotFolder
	}
	path, text, err := graphFile.read(filepath.Join(s.dir, name))
	if err != nil {
		return err
	}
	rec, err := parseRecord(path, text)
	if err != nil {
		return err
	}
	rows := rowsRecord{rec.Vertices, rec.Edges, sha256Text(text)}
	if part == s.owner.Parts() {
		s.parts.record.HotRows = &rows
		err = writeArray(s.parts, hotFolder, "u4", s.hot)
	} else {
		s.parts.record.Rows[part] = rows
	}
	s.mirrored[0], s.mirrored[1] = s.mirrored[0]+mirrored[0], s.mirrored[1]+mirrored[1]
	for share := range shares {
		err = errors.Join(err, os.Remove(sharePath(s.dir, part, share)))
	}
	return err
}

// removeUnfinished removes what processes that were given up have left in the folder.
func (s *Conversion) removeUnfinished() error {
	entries, err := os.ReadDir(s.dir)
	for _, e := range entries {
		name := e.Name()
		if spillFiles.MatchString(name) || partFolders.MatchString(name) && len(name) > len(partName(0)) {
			err = errors.Join(err, os.RemoveAll(filepath.Join(s.dir, name)))
		}
	}
	return err
}
