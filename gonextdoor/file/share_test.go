package file

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/build"
	"gonextdoor/gonextdoor/graph/owner"
)

// merged counts shares of the edges in separate counters, and merges these.
func (e *edgeTable) merged(t *testing.T, shares int, symmetric bool) *build.RowCounter {
	t.Helper()
	all := build.NewRowCounter(e.block(0, 0), symmetric, 1<<32)
	t.Cleanup(all.Free)
	for k := range shares {
		c := build.NewRowCounter(e.block(0, 0), symmetric, 1<<32)
		lo, hi := e.share(k, shares)
		if _, err := c.Count(e.block(lo, hi)); err != nil {
			t.Fatal(err)
		}
		counts := make([]byte, c.CountsSize())
		c.PutCounts(counts)
		c.Free()
		if err := all.Merge(counts); err != nil {
			t.Fatal(err)
		}
	}
	if err := all.Number(); err != nil {
		t.Fatal(err)
	}
	return all
}

// share returns the edges lo ... hi-1 of a share.
func (e *edgeTable) share(k, shares int) (lo, hi int) {
	return k * len(e.src) / shares, (k + 1) * len(e.src) / shares
}

// store stores a share, as one worker.
func (e *edgeTable) store(t *testing.T, dir string, k, shares int, c *build.RowCounter, p Partitioning) {
	t.Helper()
	w := NewShareWriter(dir, k, c, p, nil)
	for i := range w.spills {
		w.spills[i].limit = 97 // several blocks
	}
	lo, hi := e.share(k, shares)
	for ; lo < hi; lo += 333 {
		if err := w.Add(e.block(lo, min(lo+333, hi))); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

// Any number of shares gives the folder of one process, to the byte, even if work is repeated or given up.
func TestShares(t *testing.T) {
	e := newEdgeTable(5000, 211)
	for _, symmetric := range []bool{false, true} {
		g := e.whole(t, symmetric)
		g.Names.Text, g.Names.Offsets = []byte("x"), append(make([]uint64, g.NumVertices()), 1)
		for _, shares := range []int{1, 2, 7} {
			c := e.merged(t, shares, symmetric)
			hot, err := owner.HotOf(c.Degrees, .2)
			if err != nil {
				t.Fatal(err)
			}
			for _, p := range []Partitioning{{Owner: owner.Ranges(g, 4), Alias: true}, {Owner: byMap(g, 3), Hot: hot}} {
				folder := filepath.Join(t.TempDir(), "graph")
				s, err := ConvertParts(folder, c, g.Names, p, nil)
				if err != nil {
					t.Fatal(err)
				}
				for k := range shares {
					e.store(t, s.Dir(), k, shares, c, p)
				}
				e.store(t, s.Dir(), 0, shares, c, p) // repeated
				NewShareWriter(s.Dir(), 0, c, p, nil).spills[0].complete()
				unfinished := filepath.Join(s.Dir(), "part-00001-0123456789abcdef")
				if err := os.Mkdir(unfinished, 0o777); err != nil {
					t.Fatal(err)
				}
				if unknown, _, err := unknownEntry(s.Dir()); unknown != "" || err != nil {
					t.Error(unknown, err)
				}
				acceptAll(t, s, shares, c, p)
				if err := s.Close(); err != nil {
					t.Fatal(err)
				}
				alone(t, folder)
				sameFolders(t, folder, partitioned(t, g, p))
			}
		}
	}
}

// acceptAll builds all parts, each twice, and accepts them.
func acceptAll(t *testing.T, s *Conversion, shares int, c *build.RowCounter, p Partitioning) {
	t.Helper()
	for part := range p.Owner.Parts() + 1 {
		_, err := BuildPart(s.Dir(), part, shares, c, p, false, nil)
		if err != nil {
			t.Fatal(err)
		}
		words, err := BuildPart(s.Dir(), part, shares, c, p, false, nil) // repeated
		if err == nil {
			err = s.Accept(part, shares, words)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

func TestSharesThatAreDamaged(t *testing.T) {
	e := newEdgeTable(500, 21)
	c := e.merged(t, 2, false)
	p := Partitioning{Owner: owner.RangesOf(c.Degrees, 2)}
	folder := filepath.Join(t.TempDir(), "graph")
	s, err := ConvertParts(folder, c, graph.Names{}, p, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Abandon()
	e.store(t, s.Dir(), 0, 2, c, p)
	check := func(want string) {
		t.Helper()
		if _, err := BuildPart(s.Dir(), 1, 2, c, p, false, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, expected %q", err, want)
		}
		if err := s.Accept(1, 2, [2]uint64{}); err == nil || !strings.Contains(err.Error(), "part-00001") {
			t.Error(err)
		}
	}
	path := sharePath(s.Dir(), 1, 1)
	check(path + ": no such file")
	e.store(t, s.Dir(), 1, 2, c, p)
	st, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, size := range []int64{st.Size() - 16, st.Size() - 20, 3} { // without its end, within a block
		if err := os.Truncate(path, size); err != nil {
			t.Fatal(err)
		}
		check(path + ": cannot be read back")
	}
	e.store(t, s.Dir(), 1, 2, c, p)
	if err := os.Rename(sharePath(s.Dir(), 1, 0), path); err != nil {
		t.Fatal(err)
	}
	e.store(t, s.Dir(), 0, 2, c, p)
	check("the edges changed between the two passes")
	os.RemoveAll(s.Dir())
	w := NewShareWriter(s.Dir(), 0, c, p, nil)
	if err := w.Close(); err == nil || !strings.Contains(err.Error(), s.Dir()) {
		t.Error(err)
	}
}

// Counts of other streams, and damaged ones, are refused.
func TestCountsAreChecked(t *testing.T) {
	e := newEdgeTable(500, 21)
	other := build.NewRowCounter(build.EdgeBlock{}, false, 1<<32)
	few := build.NewRowCounter(e.block(0, 0), false, 20)
	fresh := build.NewRowCounter(e.block(0, 0), false, 1<<32)
	if _, err := fresh.Count(e.block(0, 500)); err != nil {
		t.Fatal(err)
	}
	counts := make([]byte, fresh.CountsSize())
	fresh.PutCounts(counts)
	for _, x := range []struct {
		to   *build.RowCounter
		from []byte
		want string
	}{
		{fresh, nil, "counts of 0 bytes"}, {fresh, counts[:len(counts)-1], "damaged"}, {other, counts, "other attributes"}, {few, counts, "damaged"},
	} {
		if err := x.to.Merge(x.from); err == nil || !strings.Contains(err.Error(), x.want) {
			t.Errorf("%v, expected %q", err, x.want)
		}
	}
	for _, c := range []*build.RowCounter{other, few, fresh} {
		c.Free()
	}
}
