package resident_test

import (
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"unsafe"

	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/engine/gpu/resident"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/gonextdoor/refuse"
)

// uploaded are numbers of words that are uploaded: around the bounds of pinned memory, and of its buffers.
var uploaded = []int{0, 1, plan.UploadPinned/4 - 1, plan.UploadPinned / 4, int(plan.UploadChunk / 4), int(2*plan.UploadChunk/4) + 3}

// words returns n words that differ from those at other places.
func words(n int) []uint32 {
	all := make([]uint32, n)
	for i := range all {
		all[i] = uint32(i)*2654435761 + 1
	}
	return all
}

// room allocates GPU memory for n words and some after them, which are zero.
func room(t *testing.T, d *cuda.Device, s cuda.Stream, n int) cuda.Memory {
	t.Helper()
	m, err := d.Alloc(int64(4*n+64), s)
	if err == nil {
		err = d.Fill32(m.Address, 0, m.Bytes/4, s)
	}
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// checkWords compares memory with words and the zeros after them, and frees it.
func checkWords(t *testing.T, d *cuda.Device, s cuda.Stream, m cuda.Memory, want []uint32) {
	t.Helper()
	got := read[uint32](t, d, s, uint64(m.Address), len(want)+16)
	if !slices.Equal(got[:len(want)], want) || slices.Max(got[len(want):]) != 0 {
		t.Errorf("%d words differ from those of the host", len(want))
	}
	if err := d.Free(m, s); err != nil {
		t.Error(err)
	}
}

func TestUploads(t *testing.T) {
	on(t, func(d *cuda.Device, s cuda.Stream) {
		for _, n := range uploaded {
			want, source := words(n), words(n)
			m := room(t, d, s, n)
			if err := resident.Upload(d, s, graph.Options{Threads: 2}, m.Address, resident.ArrayOf(source)); err != nil {
				t.Fatal(err)
			}
			clear(source) // it has been read
			checkWords(t, d, s, m, want)
			m = room(t, d, s, n)
			var all atomic.Int64
			err := resident.UploadBy(d, s, m.Address, int64(4*n), 2, nil, func(at int64, into []byte) error {
				if at%4096 != 0 {
					t.Errorf("a piece begins at byte %d", at)
				}
				all.Add(int64(len(into)))
				copy(into, unsafe.Slice((*byte)(unsafe.Pointer(&want[0])), 4*n)[at:])
				return nil
			})
			if err != nil || all.Load() != int64(4*n) {
				t.Fatalf("%d of %d bytes: %v", all.Load(), 4*n, err)
			}
			checkWords(t, d, s, m, want)
		}
	})
}

func TestConcurrentUploads(t *testing.T) {
	on(t, func(d *cuda.Device, _ cuda.Stream) {
		var wait sync.WaitGroup
		for i := range 4 {
			wait.Go(func() {
				err := d.Do(func() error {
					s, err := d.NewStream()
					if err != nil {
						return err
					}
					source := words(300_000 + i)[i:]
					for range 3 {
						m := room(t, d, s, len(source))
						if err := resident.Upload(d, s, graph.Options{}, m.Address, resident.ArrayOf(source)); err != nil {
							return err
						}
						checkWords(t, d, s, m, source)
					}
					return s.Destroy()
				})
				if err != nil {
					t.Error(err)
				}
			})
		}
		wait.Wait()
	})
}

func TestUploadsThatFail(t *testing.T) {
	on(t, func(d *cuda.Device, s cuda.Stream) {
		n := int(2*plan.UploadChunk/4) + 3
		m, bytes, wrong := room(t, d, s, n), int64(4*n), errors.New("no such root")
		for _, first := range []int64{0, plan.UploadPiece, plan.UploadChunk, plan.UploadChunk + 3*plan.UploadPiece} {
			err := resident.UploadBy(d, s, m.Address, bytes, 4, nil, func(at int64, _ []byte) error {
				if at > first {
					return errors.New("another root")
				}
				if at == first {
					return wrong
				}
				return nil
			})
			if !errors.Is(err, wrong) {
				t.Errorf("the first error is at byte %d: %v", first, err)
			}
		}
		stopped := new(job.Job)
		atomic.StoreInt64(&stopped.Stop, 1)
		err := resident.Upload(d, s, graph.Options{Job: stopped}, m.Address, resident.ArrayOf(words(n)))
		if refuse.KindOf(err) != refuse.KindInterrupted {
			t.Errorf("stopped: %v", err)
		}
		source := words(n)
		if err := resident.Upload(d, s, graph.Options{}, m.Address, resident.ArrayOf(source)); err != nil {
			t.Error(err)
		}
		read := read[uint32](t, d, s, uint64(m.Address), n)
		if !slices.Equal(read, source) {
			t.Error("the next upload differs")
		}
		if err := d.Free(m, s); err != nil {
			t.Error(err)
		}
	})
}
