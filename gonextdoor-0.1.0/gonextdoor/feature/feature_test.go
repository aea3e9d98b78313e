package feature_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"gonextdoor/gonextdoor/feature"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/refuse"
	"gonextdoor/gonextdoor/rng"
)

// anonymous returns n bytes outside of Go's heap, as the memory of callers is.
func anonymous(t *testing.T, n int) []byte {
	t.Helper()
	memory, err := syscall.Mmap(-1, 0, n, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { syscall.Munmap(memory) })
	return memory
}

// fill writes pseudo-random bytes.
func fill(b []byte, seed rng.Key) {
	for i := range b {
		b[i] = byte(seed.Word(uint64(i)))
	}
}

// memoryPart returns a part of rows in memory that are gap bytes apart, and the bytes of the rows alone.
func memoryPart(t *testing.T, rows, size, gap int, seed rng.Key) (feature.Part, []byte) {
	t.Helper()
	memory := anonymous(t, max(1, rows*(size+gap)))
	fill(memory, seed)
	plain := []byte{}
	for r := range rows {
		plain = append(plain, memory[r*(size+gap):][:size]...)
	}
	return feature.Part{Rows: int64(rows), Address: unsafe.Pointer(&memory[0]), Stride: int64(size + gap), Writeable: true}, plain
}

// filePart returns a part of rows in a file that are gap bytes apart, from byte 13 on, and their bytes.
func filePart(t *testing.T, rows, size, gap int, seed rng.Key) (feature.Part, []byte) {
	t.Helper()
	f, err := os.Create(filepath.Join(t.TempDir(), "rows"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	all := make([]byte, 13+rows*(size+gap))
	fill(all, seed)
	if _, err := f.Write(all); err != nil {
		t.Fatal(err)
	}
	plain := []byte{}
	for r := range rows {
		plain = append(plain, all[13+r*(size+gap):][:size]...)
	}
	p := feature.Part{Rows: int64(rows), File: int(f.Fd()), Offset: 13, Stride: int64(size + gap), Name: f.Name(), Writeable: true}
	return p, plain
}

// definition is the serial definition of a read.
func definition(rows []byte, size int, ids []int64) []byte {
	out := []byte{}
	for _, id := range ids {
		out = append(out, rows[int(id)*size:][:size]...)
	}
	return out
}

// some returns n ids below rows: random ones, runs of consecutive ones, and equal ones.
func some(n, rows int, seed rng.Key) []int64 {
	ids := make([]int64, n)
	for i := range ids {
		word := seed.Word(uint64(i))
		ids[i] = int64((word >> 8) % uint64(rows))
		if i > 0 && word%4 == 0 {
			ids[i] = min(ids[i-1]+1, int64(rows)-1)
		}
	}
	return ids
}

func open(t *testing.T, parts []feature.Part, size int) *feature.Host {
	t.Helper()
	h, err := feature.New(parts, int64(size))
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// Reads equal the definition for every size of a row, on any number of threads, from memory, files and both.
func TestReadsEqualTheDefinition(t *testing.T) {
	for _, size := range []int{1, 2, 3, 4, 7, 8, 12, 16, 36, 64, 100, 400, 511, 512, 520, 528, 1024, 4096, 4100, 20000} {
		rows := 50
		plain, strided, file, gaps := "plain", "strided", "file", "file with gaps"
		for _, kinds := range [][]string{{plain}, {strided}, {plain, strided, plain}, {file}, {gaps}, {file, plain, gaps}, {strided, file}} {
			var parts []feature.Part
			var all []byte
			for i, kind := range kinds {
				seed := rng.Key(size*10 + i)
				var p feature.Part
				var b []byte
				switch kind {
				case plain:
					p, b = memoryPart(t, rows, size, 0, seed)
				case strided:
					p, b = memoryPart(t, rows, size, 5, seed)
				case file:
					p, b = filePart(t, rows, size, 0, seed)
				default:
					p, b = filePart(t, rows, size, 7, seed)
				}
				parts, all = append(parts, p), append(all, b...)
			}
			h := open(t, parts, size)
			for _, n := range []int{0, 1, 100, max(110, min(3000, 3<<19/size))} { // the last one is streamed
				ids := some(n, rows*len(kinds), rng.Key(n+size))
				want := definition(all, size, ids)
				for _, threads := range []int{1, 3} {
					for shift := range 2 { // results that are aligned, and not
						out := anonymous(t, len(want)+17)[shift:]
						if err := h.Read(feature.Request{IDs: feature.Of(ids), Values: out[:len(want)], Threads: threads}); err != nil {
							t.Fatal(err)
						}
						if !bytes.Equal(out[:len(want)], want) {
							t.Fatalf("%d ids of rows of %d bytes in %v, %d threads: other bytes", n, size, kinds, threads)
						}
						if !bytes.Equal(out[len(want):len(want)+16], make([]byte, 16)) {
							t.Fatalf("%d ids of rows of %d bytes in %v: bytes after the result were written", n, size, kinds)
						}
					}
				}
			}
		}
	}
}

// Of equal ids, the last update counts. A bad id leaves all rows unchanged.
func TestUpdates(t *testing.T) {
	const size = 12
	memory, a := memoryPart(t, 50, size, 3, 1)
	file, b := filePart(t, 50, size, 3, 2)
	h, want := open(t, []feature.Part{memory, file}, size), slices.Concat(a, b)
	ids := some(3000, 100, 3)
	values := make([]byte, size*len(ids))
	fill(values, 4)
	for i, id := range ids {
		copy(want[int(id)*size:], values[i*size:(i+1)*size])
	}
	if err := h.Update(feature.Request{IDs: feature.Of(ids), Values: values}); err != nil {
		t.Fatal(err)
	}
	compare := func() {
		t.Helper()
		every := make([]int64, 100)
		for i := range every {
			every[i] = int64(i)
		}
		got := make([]byte, len(want))
		if err := h.Read(feature.Request{IDs: feature.Of(every), Values: got}); err != nil || !bytes.Equal(got, want) {
			t.Errorf("other rows than expected (%v)", err)
		}
	}
	compare()
	ids[2999] = 100
	fill(values, 5)
	if err := h.Update(feature.Request{IDs: feature.Of(ids), Values: values}); refuse.KindOf(err) != refuse.KindIndex {
		t.Error(err)
	}
	compare()
	memory.Writeable = false
	err := open(t, []feature.Part{file, memory}, size).Update(feature.Request{IDs: feature.Of(nil)})
	if refuse.KindOf(err) != refuse.KindValue || !strings.Contains(err.Error(), "part 1") {
		t.Error(err)
	}
}

// A file that was truncated is an error that names it; rows before its end are still read.
func TestTruncatedFiles(t *testing.T) {
	const size = 400
	p, all := filePart(t, 1000, size, 0, 1)
	h := open(t, []feature.Part{p}, size)
	if err := os.Truncate(p.Name, 13+500*size+7); err != nil {
		t.Fatal(err)
	}
	out := make([]byte, size)
	if err := h.Read(feature.Request{IDs: feature.Of([]int64{499}), Values: out}); err != nil || !bytes.Equal(out, all[499*size:500*size]) {
		t.Errorf("row 499: %v", err)
	}
	err := h.Read(feature.Request{IDs: feature.Of([]int64{500}), Values: out})
	if refuse.KindOf(err) != refuse.KindFormat || !strings.Contains(err.Error(), p.Name+" ends at byte 200020") {
		t.Errorf("row 500: %v", err)
	}
	p.File = 1 << 20
	err = open(t, []feature.Part{p}, size).Read(feature.Request{IDs: feature.Of([]int64{0}), Values: out})
	if err == nil || !strings.Contains(err.Error(), "bad file descriptor") || !strings.Contains(err.Error(), p.Name) {
		t.Errorf("a closed file: %v", err)
	}
}

// A mapped file that was truncated is an error, not the end of the process, for copies of each kind.
func TestTruncatedMappings(t *testing.T) {
	for _, size := range []int{8, 400, 1024} {
		rows := 8192 / size
		p, _ := filePart(t, 3*rows, size, 0, 1)
		mapped, err := syscall.Mmap(p.File, 0, 3*8192, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
		if err != nil {
			t.Fatal(err)
		}
		h := open(t, []feature.Part{{Rows: int64(2 * rows), Address: unsafe.Pointer(&mapped[0]), Stride: int64(size), Writeable: true}}, size)
		if err := os.Truncate(p.Name, 4096); err != nil {
			t.Fatal(err)
		}
		ids := slices.Repeat([]int64{int64(rows)}, 3000)
		for _, threads := range []int{1, 2} {
			q := feature.Request{IDs: feature.Of(ids), Values: anonymous(t, size*len(ids)), Threads: threads}
			for name, f := range map[string]func(feature.Request) error{"read": h.Read, "update": h.Update} {
				if err := f(q); refuse.KindOf(err) != refuse.KindFormat || !strings.Contains(err.Error(), "truncated") {
					t.Errorf("%s of %d bytes: %v", name, size, err)
				}
			}
		}
		syscall.Munmap(mapped)
	}
}

// A read in the background has its own ids, can be waited for, and can be stopped.
func TestPending(t *testing.T) {
	p, all := memoryPart(t, 100, 40, 0, 1)
	h := open(t, []feature.Part{p}, 40)
	ids := some(5000, 100, 2)
	want, out := definition(all, 40, ids), make([]byte, 40*len(ids))
	read, err := feature.Start(h, feature.Request{IDs: feature.Of(ids), Values: out})
	if err != nil {
		t.Fatal(err)
	}
	clear(ids)
	for done := false; !done; {
		if done, err = read.Wait(time.Millisecond); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(out, want) {
		t.Error("other bytes")
	}
	if err := read.Stop(); err != nil {
		t.Error(err)
	}
	if _, err := feature.Start(h, feature.Request{IDs: feature.Of([]int64{100}), Values: out[:40]}); refuse.KindOf(err) != refuse.KindIndex {
		t.Error(err)
	}
	blocked := held{h, make(chan struct{})}
	read, err = feature.Start(blocked, feature.Request{IDs: feature.Of(ids), Values: out})
	if err != nil {
		t.Fatal(err)
	}
	if done, err := read.Wait(0); done || err != nil {
		t.Errorf("a read that is held: done %v, %v", done, err)
	}
	go close(blocked.gate)
	if err := read.Stop(); err != nil {
		t.Error(err)
	}
	if done, _ := read.Wait(-1); !done {
		t.Error("a stopped read has not ended")
	}
}

// held is a store whose reads wait for a gate.
type held struct {
	feature.Store
	gate chan struct{}
}

func (s held) Read(q feature.Request) error {
	<-s.gate
	return s.Store.Read(q)
}

func TestReadsStop(t *testing.T) {
	p, _ := memoryPart(t, 100, 40, 0, 1)
	q := feature.Request{IDs: feature.Of(make([]int64, 100_000)), Values: make([]byte, 4_000_000), Job: &job.Job{Stop: 1}}
	if err := open(t, []feature.Part{p}, 40).Read(q); refuse.KindOf(err) != refuse.KindInterrupted {
		t.Error(err)
	}
}

func TestCounts(t *testing.T) {
	a, _ := memoryPart(t, 10, 4, 0, 1)
	b, _ := filePart(t, 10, 4, 0, 1)
	h := open(t, []feature.Part{a, b}, 4)
	for range 3 {
		if err := h.Read(feature.Request{IDs: feature.Of([]int64{0, 10, 11, 12, 3}), Values: make([]byte, 20)}); err != nil {
			t.Fatal(err)
		}
	}
	if got, want := h.Counts(), (feature.Counts{Reads: 3, HostRows: 6, FileRows: 9}); got != want {
		t.Errorf("%+v, expected %+v", got, want)
	}
}

func TestBadStores(t *testing.T) {
	good, _ := memoryPart(t, 2, 4, 0, 1)
	for name, f := range map[string]func() error{
		"negative rows":  func() error { _, err := feature.New([]feature.Part{good, {Rows: -1}}, 4); return err },
		"negative bytes": func() error { _, err := feature.New(nil, -4); return err },
		"no memory":      func() error { _, err := feature.New([]feature.Part{{Rows: 1, File: -1}}, 4); return err },
	} {
		if err := f(); refuse.KindOf(err) != refuse.KindValue {
			t.Errorf("%s: %v", name, err)
		}
	}
	h := open(t, []feature.Part{good}, 4)
	q := feature.Request{IDs: feature.Of([]int64{0}), Values: make([]byte, 3)}
	for _, err := range []error{h.Read(q), h.Update(q)} {
		if err == nil || err.Error() != "3 bytes for 1 rows of 4" {
			t.Error(err)
		}
	}
	none := open(t, []feature.Part{{Rows: 5, File: -1}}, 0)
	if err := none.Read(feature.Request{IDs: feature.Of([]int64{4, 0})}); err != nil {
		t.Error("rows without bytes:", err)
	}
	if err := none.Read(feature.Request{IDs: feature.Of([]int64{5})}); refuse.KindOf(err) != refuse.KindIndex {
		t.Error("rows without bytes:", err)
	}
}

// Files on tmpfs, which has no reads that do not wait, are read as others are.
func TestFilesInMemory(t *testing.T) {
	f, err := os.CreateTemp("/dev/shm", "rows")
	if err != nil {
		t.Skip(err)
	}
	defer f.Close()
	if err := os.Remove(f.Name()); err != nil {
		t.Fatal(err)
	}
	all := make([]byte, 1000*40)
	fill(all, 1)
	if _, err := f.Write(all); err != nil {
		t.Fatal(err)
	}
	h := open(t, []feature.Part{{Rows: 1000, File: int(f.Fd()), Stride: 40, Name: f.Name()}}, 40)
	ids := some(9000, 1000, 2)
	for _, threads := range []int{1, 2} {
		out := make([]byte, 40*len(ids))
		err := h.Read(feature.Request{IDs: feature.Of(ids), Values: out, Threads: threads})
		if err != nil || !bytes.Equal(out, definition(all, 40, ids)) {
			t.Errorf("%d threads: other bytes (%v)", threads, err)
		}
	}
}
