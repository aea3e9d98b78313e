package features_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"sync"
	"syscall"
	"testing"
	"unsafe"

	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/cuda/cudatest"
	"gonextdoor/gonextdoor/engine/gpu/features"
	"gonextdoor/gonextdoor/engine/gpu/gputest"
	"gonextdoor/gonextdoor/refuse"
)

// newTable returns random rows in memory outside of Go's heap, as those of users are.
func newTable(t testing.TB, rows, rowBytes int) *gputest.Features {
	t.Helper()
	memory, err := syscall.Mmap(-1, 0, rows*rowBytes, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Munmap(memory) })
	x := &gputest.Features{Bytes: memory, RowBytes: rowBytes}
	x.Fill()
	return x
}

func device(t testing.TB) *cuda.Device {
	t.Helper()
	cudatest.Driver(t)
	if err := cuda.Status(); err != nil {
		t.Skip(err)
	}
	d, err := cuda.Open(0)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// open opens a store, which the test closes.
func open(t testing.TB, rows features.Rows, o features.Options) *features.Store {
	t.Helper()
	s, err := features.Open(device(t), rows, o, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// readOf reads ids in host memory.
func readOf(s *features.Store, ids []uint32) ([]byte, error) {
	return gputest.ReadOf(s, gputest.HostIDs(ids))
}

// Reads equal their definition for rows of any size, any share of them in GPU memory, and all ways to read missed rows.
func TestReadsEqualTheirDefinition(t *testing.T) {
	kinds := []features.Options{
		{Misses: features.ByCopy}, {Misses: features.ByKernel}, {Slots: 97}, {Slots: 10, Misses: features.ByCopy},
		{Slots: 10, Misses: features.ByKernel}, {Slots: 10, Misses: features.ByCopy, Lookahead: true},
		{Slots: 10, Misses: features.ByKernel, Lookahead: true}, {Slots: 10}, {Misses: features.ByBoth},
		{Slots: 10, Misses: features.ByBoth}, {Slots: 10, Misses: features.ByBoth, Lookahead: true},
	}
	for i, rowBytes := range []int{1, 2, 4, 6, 8, 12, 16, 20, 400, 404, 1024, 4096} {
		x := newTable(t, 97, rowBytes)
		for k, o := range kinds {
			if k%3 == i%3 || rowBytes == 400 {
				o.Threads, o.Tile = 2, 1<<((i+k)%6)
				if o.Slots == 10 {
					o.Placed = gputest.FirstRows(10)
				}
				t.Run(fmt.Sprintf("%d bytes, %d slots, %v, %v", rowBytes, o.Slots, o.Misses, o.Lookahead), func(t *testing.T) {
					s := open(t, x, o)
					for k, ids := range gputest.FeatureBatches(97, 2, 200, uint64(rowBytes)) {
						got, err := readOf(s, ids)
						if err != nil {
							t.Fatal(err)
						}
						if !bytes.Equal(got, x.Read(ids)) {
							t.Fatalf("batch %d: other rows", k)
						}
					}
				})
			}
		}
	}
}

// The rows of several stores are read by one launch, with ids of other sizes.
func TestSeveralStoresAreReadTogether(t *testing.T) {
	device(t)
	var requests []features.Request
	var want [][]byte
	var keep []any
	for k, rowBytes := range []int{12, 400, 16, 5} {
		x := newTable(t, 50+k, rowBytes)
		s := open(t, x, features.Options{Slots: 10 * k, Placed: gputest.FirstRows(10 * k)[:10*k], Misses: features.ByCopy})
		ids := gputest.FeatureBatches(50+k, 1, 150, uint64(k))[0]
		q := features.Request{Store: s, IDs: gputest.HostIDs(ids)}
		if k%2 == 1 {
			long := make([]int64, len(ids))
			for i, id := range ids {
				long[i] = int64(id)
			}
			q.IDs = features.IDs{Address: uintptr(unsafe.Pointer(unsafe.SliceData(long))), Count: len(ids), Bytes: 8, Host: true, Signed: true}
			keep = append(keep, long)
		}
		requests, want, keep = append(requests, q), append(want, x.Read(ids)), append(keep, ids)
	}
	cudatest.Emulated(t)
	launches := cudatest.Launches()
	results, err := features.Read(requests, nil)
	if err != nil {
		t.Fatal(err)
	}
	for k, r := range results {
		got, err := gputest.Fetched(r)
		if err != nil || !bytes.Equal(got, want[k]) {
			t.Errorf("store %d: other rows (%v)", k, err)
		}
	}
	if n := cudatest.Launches() - launches; n != 1+3 { // one search, and a distribution for each cache with misses
		t.Errorf("%d launches, expected 4", n)
	}
	_ = keep
}

// Reads that overlap, of several threads and stores, have the right rows.
func TestReadsOverlap(t *testing.T) {
	x, y := newTable(t, 300, 40), newTable(t, 200, 2048)
	one := open(t, x, features.Options{Slots: 30, Placed: gputest.FirstRows(30), Misses: features.ByCopy})
	two := open(t, y, features.Options{Slots: 20, Lookahead: true, Misses: features.ByBoth})
	var group sync.WaitGroup
	for k := range 4 {
		group.Add(1)
		go func() {
			defer group.Done()
			for _, ids := range gputest.FeatureBatches(200, 10, 300, uint64(k)) {
				all, err := features.Read([]features.Request{{Store: one, IDs: gputest.HostIDs(ids)}, {Store: two, IDs: gputest.HostIDs(ids)}}, nil)
				if err != nil {
					t.Error(err)
					return
				}
				a, err := gputest.Fetched(all[0])
				b, also := gputest.Fetched(all[1])
				if err != nil || also != nil || !bytes.Equal(a, x.Read(ids)) || !bytes.Equal(b, y.Read(ids)) {
					t.Errorf("other rows (%v, %v)", err, also)
				}
			}
		}()
	}
	group.Wait()
	if c := one.Counts(); c.Reads != 40 || c.Hits+c.Misses == 0 || c.Hits == 0 || c.Misses == 0 {
		t.Errorf("%+v after 40 reads", c)
	}
}

// An id that is out of range is an IndexError that names it. The next read succeeds.
func TestIDsOutOfRange(t *testing.T) {
	x := newTable(t, 40, 24)
	for _, o := range []features.Options{
		{Misses: features.ByCopy}, {Slots: 40}, {Slots: 5, Placed: gputest.FirstRows(5), Misses: features.ByCopy},
		{Slots: 5, Lookahead: true, Misses: features.ByCopy}, {Misses: features.ByKernel}, {Misses: features.ByBoth},
		{Slots: 5, Lookahead: true, Misses: features.ByBoth},
	} {
		s := open(t, x, o)
		for _, signed := range []bool{false, true} {
			ids := []int64{3, 39, -2, 40}
			if !signed {
				ids[2] = 41
			}
			q := features.IDs{Address: uintptr(unsafe.Pointer(unsafe.SliceData(ids))), Count: 4, Bytes: 8, Host: true, Signed: signed}
			all, err := features.Read([]features.Request{{Store: s, IDs: q}}, nil)
			if err != nil {
				t.Fatal(err)
			}
			_, err = gputest.Fetched(all[0])
			want := fmt.Sprintf("ids[2] = %d: there are 40 rows", ids[2])
			if refuse.KindOf(err) != refuse.KindIndex || !strings.Contains(err.Error(), want) {
				t.Errorf("%v, expected an IndexError with %q", err, want)
			}
		}
		if got, err := readOf(s, []uint32{39, 0}); err != nil || !bytes.Equal(got, x.Read([]uint32{39, 0})) {
			t.Errorf("after an error: other rows (%v)", err)
		}
	}
}

// After Refresh, reads have the changed rows, whichever are in GPU memory.
func TestRefresh(t *testing.T) {
	for _, o := range []features.Options{
		{Misses: features.ByCopy}, {Slots: 60}, {Slots: 20, Placed: gputest.FirstRows(20), Misses: features.ByCopy}, {Slots: 20, Lookahead: true, Misses: features.ByKernel},
		{Misses: features.ByBoth}, {Slots: 20, Placed: gputest.FirstRows(20), Misses: features.ByBoth},
	} {
		x := newTable(t, 60, 36)
		s := open(t, x, o)
		if _, err := readOf(s, gputest.FirstRows(60)); err != nil {
			t.Fatal(err)
		}
		changed := []uint32{3, 59, 3, 7, 11}
		err := features.Refresh([]*features.Store{s}, changed, func() error {
			for k, id := range changed {
				copy(x.Row(id), bytes.Repeat([]byte{byte(200 + k)}, 36))
			}
			return nil
		}, nil)
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if got, err := readOf(s, gputest.FirstRows(60)); err != nil || !bytes.Equal(got, x.Read(gputest.FirstRows(60))) {
				t.Errorf("%+v: other rows after Refresh (%v)", o, err)
			}
		}
		failed := errors.New("not changed")
		if err := features.Refresh([]*features.Store{s}, changed, func() error { return failed }, nil); !errors.Is(err, failed) {
			t.Errorf("%v, expected the error of the change", err)
		}
	}
}
