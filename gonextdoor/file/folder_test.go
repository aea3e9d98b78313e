package file

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/build"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/refuse"
)

// full returns a graph that has every kind of array.
func full(t testing.TB) *graph.Graph {
	t.Helper()
	g, err := build.FromEdges(build.Edges{
		Sources: graph.ArrayOf([]int32{2, 0, 1, 0}), Targets: graph.ArrayOf([]int32{1, 2, 1, 1}),
		Weights: graph.ArrayOf([]float64{.5, 2, 0, 7}), Labels: graph.ArrayOf([]int32{1, -2, 3, 4}),
		Times: graph.ArrayOf([]int64{10, 20, -30, 40}), NumVertices: 4,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(g.Close)
	return g
}

func saved(t testing.TB, g *graph.Graph) string {
	t.Helper()
	folder := filepath.Join(t.TempDir(), "graph")
	if err := Save(g, folder, nil); err != nil {
		t.Fatal(err)
	}
	return folder
}

// equal compares all arrays of two graphs.
func equal(t *testing.T, got, want *graph.Graph) {
	t.Helper()
	for _, a := range arrays {
		if g, w := a.data(got), a.data(want); !reflect.DeepEqual(g, w) && len(g)+len(w) > 0 {
			t.Errorf("%s is %v, expected %v", a.name, g, w)
		}
	}
	if got.MaxDegree() != want.MaxDegree() || got.HasSinks() != want.HasSinks() || got.Weighted() != want.Weighted() {
		t.Errorf("facts differ")
	}
	if sentinel := got.Indices[:got.NumEdges()+1][got.NumEdges()]; sentinel != graph.None {
		t.Errorf("after the last edge is %d", sentinel)
	}
}

func TestRoundTrip(t *testing.T) {
	ids64, ints, text := full(t), full(t), full(t)
	ids64.EdgeIDs, ids64.EdgeIDs64 = nil, []uint64{1 << 40, 0, 3, 4}
	ints.Names.Ints = []int64{-5, 0, 7, 1 << 50}
	text.Names.Text, text.Names.Offsets = []byte("aéb"), []uint64{0, 1, 3, 4, 4}
	none, err := build.FromEdges(build.Edges{Sources: graph.ArrayOf([]int32{}), Targets: graph.ArrayOf([]int32{}), NumVertices: 3})
	if err != nil {
		t.Fatal(err)
	}
	defer none.Close()
	for name, g := range map[string]*graph.Graph{"full": full(t), "wide ids": ids64, "ints": ints, "text": text, "no edges": none} {
		h, err := Open(saved(t, g))
		if err != nil {
			t.Fatal(name, err)
		}
		equal(t, h, g)
		if err := h.Validate(); err != nil {
			t.Error(name, err)
		}
		h.Close()
	}
}

// The id of the next edge is saved if edges with the largest ids were removed.
func TestNextIDIsSaved(t *testing.T) {
	for _, removed := range []uint64{0, 1, 1000} {
		g := full(t)
		end, err := g.EdgeIDsEnd(graph.Options{})
		if err != nil {
			t.Fatal(err)
		}
		g.NextID = end + removed
		h, err := Open(saved(t, g))
		if err != nil {
			t.Fatal(err)
		}
		if err := h.Validate(); err != nil {
			t.Error(err)
		}
		if next, err := h.EdgeIDsEnd(graph.Options{}); err != nil || max(next, h.NextID) != end+removed {
			t.Errorf("the next id is %d after %d (%v), expected %d", h.NextID, next, err, end+removed)
		}
		h.Close()
	}
}

// The sentinel after the last edge is readable if the array ends anywhere within a page or exactly at its end.
func TestSentinelAtEveryEnd(t *testing.T) {
	for _, edges := range []int{1, 991, 992, 993, 992 + 1024, 2015, 2017} { // 128 + 4*992 = 4096
		src, dst := make([]uint32, edges), make([]uint32, edges)
		g, err := build.FromEdges(build.Edges{Sources: graph.ArrayOf(src), Targets: graph.ArrayOf(dst), NumVertices: 1})
		if err != nil {
			t.Fatal(err)
		}
		h, err := Open(saved(t, g))
		if err != nil {
			t.Fatal(err)
		}
		equal(t, h, g)
		h.Close()
		g.Close()
	}
}

func TestReplace(t *testing.T) {
	g := full(t)
	folder := saved(t, g)
	old, err := Open(folder)
	if err != nil {
		t.Fatal(err)
	}
	defer old.Close()
	if err := Save(old, folder, nil); err != nil { // onto itself
		t.Fatal(err)
	}
	equal(t, old, g)
	alone(t, folder)
	notes := filepath.Join(folder, "notes.txt")
	if err := os.WriteFile(notes, []byte("mine"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := Save(g, folder, nil); refuse.KindOf(err) != refuse.KindValue || !strings.Contains(err.Error(), "notes.txt") {
		t.Error(err)
	}
	if err := Save(g, notes, nil); refuse.KindOf(err) != refuse.KindValue || !strings.Contains(err.Error(), "is a file") {
		t.Error(err)
	}
	if err := Save(g, filepath.Join(folder, "no", "where"), nil); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
	empty := filepath.Join(filepath.Dir(folder), "empty")
	if err := os.Mkdir(empty, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := Save(g, empty, nil); err != nil {
		t.Error(err)
	}
}

// alone fails the test if there is another file next to a folder.
func alone(t *testing.T, folder string) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Dir(folder))
	if err != nil || len(entries) != 1 {
		t.Errorf("beside the folder: %v, %v", entries, err)
	}
}

// A save removes the partial folders of dead processes, but not those of running ones or files of other origin.
func TestStalePartials(t *testing.T) {
	g, dir := full(t), t.TempDir()
	folder := filepath.Join(dir, "graph")
	busy, err := startReplacement(folder)
	if err != nil {
		t.Fatal(err)
	}
	defer busy.Abandon()
	stale := filepath.Join(dir, ".graph.gonextdoor-0123456789abcdef.partial")
	foreign := filepath.Join(dir, ".graph.gonextdoor-0123456789abcdee.partial")
	older := filepath.Join(dir, ".graph.partial-1-0123")
	for path, name := range map[string]string{stale: "indices.npy", foreign: "thesis.txt", older: "indices.npy"} {
		if err := os.Mkdir(path, 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(path, name), []byte("x"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(foreign, filepath.Join(dir, ".graph.gonextdoor-0123456789abcded.partial")); err != nil {
		t.Fatal(err)
	}
	if err := Save(g, folder, nil); err != nil {
		t.Fatal(err)
	}
	for path, wanted := range map[string]bool{stale: false, foreign: true, older: true, busy.dir: true, folder: true} {
		if _, err := os.Lstat(path); os.IsNotExist(err) == wanted {
			t.Errorf("%s: %v, expected to be there: %t", path, err, wanted)
		}
	}
}

func TestLongestName(t *testing.T) {
	for _, name := range []string{strings.Repeat("n", 255), strings.Repeat("é", 127)} {
		folder := filepath.Join(t.TempDir(), name)
		for range 2 {
			if err := Save(full(t), folder, nil); err != nil {
				t.Fatal(err)
			}
		}
		alone(t, folder)
		g, err := Open(folder)
		if err != nil {
			t.Fatal(err)
		}
		g.Close()
	}
}

// Files that are not regular are rejected at once, without waiting for a writer.
func TestOddFiles(t *testing.T) {
	for _, name := range []string{recordName, "indices.npy"} {
		for kind, make := range map[string]func(path string) error{
			"a named pipe": func(path string) error { return syscall.Mkfifo(path, 0o666) },
			"a folder":     func(path string) error { return os.Mkdir(path, 0o777) },
			"a device":     func(path string) error { return os.Symlink("/dev/null", path) },
		} {
			folder := saved(t, full(t))
			path := filepath.Join(folder, name)
			if err := errors.Join(os.Remove(path), make(path)); err != nil {
				t.Fatal(err)
			}
			if _, err := Open(folder); refuse.KindOf(err) != refuse.KindFormat || !strings.Contains(err.Error(), name+" is "+kind) {
				t.Errorf("%s as %s: %v", name, kind, err)
			}
		}
	}
}

// Read waits until a named pipe has a writer, and can be stopped until then.
func TestNamedPipe(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o666); err != nil {
		t.Fatal(err)
	}
	j := &job.Job{}
	time.AfterFunc(50*time.Millisecond, func() { atomic.StoreInt64(&j.Stop, 1) })
	if _, err := Read(pipe, Options{Job: j}); !errors.Is(err, refuse.ErrInterrupted) {
		t.Error(err)
	}
	wrote := make(chan error)
	go func() {
		time.Sleep(50 * time.Millisecond)
		wrote <- os.WriteFile(pipe, []byte("0 1\n1 2\n"), 0o666)
	}()
	g, err := Read(pipe, Options{})
	if err := errors.Join(err, <-wrote); err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	if g.NumEdges() != 2 {
		t.Errorf("%d edges", g.NumEdges())
	}
}

func TestInterruptedSave(t *testing.T) {
	g := full(t)
	folder := saved(t, g)
	if err := Save(g, folder, &job.Job{Stop: 1}); !errors.Is(err, refuse.ErrInterrupted) {
		t.Error(err)
	}
	alone(t, folder)
	h, err := Open(folder)
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	equal(t, h, g)
}

func TestFullDisk(t *testing.T) {
	disk := t.TempDir()
	if err := syscall.Mount("tmpfs", disk, "tmpfs", 0, "size=256k"); err != nil {
		t.Skipf("a small disk cannot be mounted: %v", err)
	}
	defer syscall.Unmount(disk, 0)
	folder := filepath.Join(disk, "graph")
	if err := Save(full(t), folder, nil); err != nil {
		t.Fatal(err)
	}
	src := make([]uint32, 100000)
	large, err := build.FromEdges(build.Edges{Sources: graph.ArrayOf(src), Targets: graph.ArrayOf(src), NumVertices: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer large.Close()
	err = Save(large, folder, nil)
	if !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), "was not saved and is unchanged") || strings.Contains(err.Error(), "partial") {
		t.Error(err)
	}
	alone(t, folder)
	h, err := Open(folder)
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	equal(t, h, full(t))
}

func TestOpenIsFast(t *testing.T) {
	if testing.Short() {
		t.Skip("writes 64 MB")
	}
	folder := filepath.Join(t.TempDir(), "graph")
	w, err := NewWriter(folder, 1<<8, nil)
	if err != nil {
		t.Fatal(err)
	}
	rows := Rows{Indptr: make([]uint64, 2), Indices: make([]uint32, 1<<16)}
	rows.Indptr[1] = 1 << 16
	for range 1 << 8 {
		if err := w.AppendRows(rows); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	g, err := Open(folder)
	took := time.Since(start)
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	if t.Logf("opened 64 MB in %v", took); took > 20*time.Millisecond {
		t.Errorf("opening took %v", took)
	}
	start = time.Now()
	if err := g.Validate(); err != nil {
		t.Error(err)
	}
	t.Logf("checked in %v", time.Since(start))
}
