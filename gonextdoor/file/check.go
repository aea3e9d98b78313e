package file

import (
	"errors"
	"hash/crc32"
	"time"
	"unicode/utf8"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/parallel"
	"gonextdoor/gonextdoor/refuse"
)

// check reads all arrays of a mapped graph: it compares checksums and the facts of the record, and calls scan, the check of
// the graph.
func (f *folder) check(g *graph.Graph, opts graph.Options, scan func() error) error {
	if err := f.settle(opts); err != nil {
		return err
	}
	err := f.checkSums(opts)
	if err == nil {
		err = parallel.Do(1, func(int) error { return f.checkFacts(g, scan) }) // so that a fault becomes an error
	}
	if errors.Is(err, refuse.ErrInterrupted) {
		return err
	}
	return g.Blame(err)
}

// tick is longer than the resolution of the times of files, which are those of the kernel's timer.
const tick = 20 * time.Millisecond

// settle waits until a file that was written just now has an earlier time than one that is written later, so that
// graph.Intact can tell.
func (f *folder) settle(opts graph.Options) error {
	for _, m := range f.maps {
		st, err := m.file.Stat()
		if err != nil {
			return err
		}
		if age := time.Since(st.ModTime()); age >= 0 && age < tick {
			time.Sleep(tick - age)
		}
	}
	return opts.Job.Err()
}

// checkSums compares the arrays with their checksums.
func (f *folder) checkSums(opts graph.Options) error {
	return parallel.For(opts.Job, opts.Threads, len(f.maps), 1, func(i, _ int) error {
		m := f.maps[i]
		want, err := f.record.Arrays[m.name].checksum()
		if err != nil {
			return err
		}
		if sum := crc32.Checksum(m.array(), graph.Castagnoli); sum != want {
			return refuse.Format("%s: the checksum of the data is %08x, %s says %08x: the file was damaged or changed",
				m.path, sum, recordName, want)
		}
		return nil
	})
}

// checkFacts scans the graph and rejects a record that does not match it. Checksums do not protect against a folder that
// was written by hand.
func (f *folder) checkFacts(g *graph.Graph, scan func() error) error {
	if err := scan(); errors.Is(err, refuse.ErrInterrupted) {
		return err
	} else if err != nil {
		return refuse.Format("%s: %w", f.path, err)
	}
	if g.MaxDegree() != f.record.MaxDegree || g.HasSinks() != f.record.Sinks {
		return refuse.Format("%s: the largest degree is %d and sinks: %t, %s says %d and %t", f.path,
			g.MaxDegree(), g.HasSinks(), recordName, f.record.MaxDegree, f.record.Sinks)
	}
	if !utf8.Valid(g.Names.Text) {
		return refuse.Format("%s: the vertices' names are not UTF-8", f.path)
	}
	return nil
}
