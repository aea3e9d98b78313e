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
			next := int64(0)
			err := resident.UploadBy(d, s, m.Address, int64(4*n), func(at int64, into []byte) error {
				if at != next {
					t.Errorf("byte %d is written after byte %d", at, next)
				}
				next += int64(len(into))
				copy(into, unsafe.Slice((*byte)(unsafe.Pointer(&want[0])), 4*n)[at:])
				return nil
			})
			if err != nil || next != int64(4*n) {
				t.Fatalf("%d of %d bytes: %v", next, 4*n, err)
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
		var calls int
		err := resident.UploadBy(d, s, m.Address, bytes, func(at int64, _ []byte) error {
			calls++
			if at > 0 {
				return wrong
			}
			return nil
		})
		if !errors.Is(err, wrong) || calls != 2 {
			t.Errorf("%d calls: %v", calls, err)
		}
		stopped := new(job.Job)
		atomic.StoreInt64(&stopped.Stop, 1)
		err = resident.Upload(d, s, graph.Options{Job: stopped}, m.Address, resident.ArrayOf(words(n)))
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
