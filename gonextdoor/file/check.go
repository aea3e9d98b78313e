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

// check validates all arrays of a mapped graph. It compares their checksums with the record, calls scan, which checks the
// structure of the graph, and compares the graph's summary with the record. It reads every byte twice.
func (f *graphFolder) check(g *graph.Graph, opts graph.Options, scan func() error) error {
	if err := f.awaitTick(opts); err != nil {
		return err
	}
	err := f.checkSums(opts)
	if err == nil {
		err = parallel.Do(1, func(int) error { return f.checkSummary(g, scan) }) // Do turns a memory fault into an error
	}
	if errors.Is(err, refuse.ErrInterrupted) {
		return err
	}
	return g.Blame(err)
}

// tick is longer than the resolution of modification times, which is that of the kernel's timer.
const tick = 20 * time.Millisecond

// awaitTick waits until the modification times of all files are at least one tick ago. A later write then changes the time,
// and graph.Intact detects it.
func (f *graphFolder) awaitTick(opts graph.Options) error {
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

// checkSums compares the checksums of the arrays with the record, one array per thread.
func (f *graphFolder) checkSums(opts graph.Options) error {
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

// checkSummary scans the graph and rejects a record that does not match it. Checksums alone would accept a folder written by
// hand.
func (f *graphFolder) checkSummary(g *graph.Graph, scan func() error) error {
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
