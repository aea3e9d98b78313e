package features_test

import (
	"bytes"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"gonextdoor/gonextdoor/cuda/cudatest"
	"gonextdoor/gonextdoor/engine/gpu/features"
	"gonextdoor/gonextdoor/engine/gpu/gputest"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/refuse"
)

// More rows than the pinned memory holds pass through it in rounds.
func TestRowsLargerThanThePinnedMemory(t *testing.T) {
	x := newTable(t, 80, 1<<20)
	s := open(t, x, features.Options{Misses: features.ByCopy, Threads: 3})
	for range 2 {
		if got, err := readOf(s, gputest.FirstRows(80)); err != nil || !bytes.Equal(got, x.Read(gputest.FirstRows(80))) {
			t.Errorf("other rows (%v)", err)
		}
	}
}

// A closed store is not read, and closing it again does nothing. Results stay.
// A thread that waits for a later piece may wait for the one that this thread is about to fill.
func TestPiecesOpenWhileAnotherThreadWaits(t *testing.T) {
	if !features.OpensWhileAnotherWaits(2 * time.Second) {
		t.Fatal("an open piece was not filled, so the thread that waits for its copy would wait for ever")
	}
}

func TestClosedStores(t *testing.T) {
	x := newTable(t, 40, 24)
	for _, o := range []features.Options{
		{Misses: features.ByKernel}, {Slots: 40}, {Slots: 5, Lookahead: true, Misses: features.ByCopy}, {Misses: features.ByBoth},
	} {
		s := open(t, x, o)
		all, err := features.Read([]features.Request{{Store: s, IDs: gputest.HostIDs(gputest.FirstRows(40))}}, nil)
		if err = errors.Join(err, s.Close(), s.Close()); err != nil {
			t.Fatal(err)
		}
		if got, err := gputest.Fetched(all[0]); err != nil || !bytes.Equal(got, x.Read(gputest.FirstRows(40))) {
			t.Errorf("%+v: other rows (%v)", o, err)
		}
		if _, err := readOf(s, []uint32{1}); refuse.KindOf(err) != refuse.KindValue || !strings.Contains(err.Error(), "closed") {
			t.Errorf("%+v: %v, expected a ValueError", o, err)
		}
	}
}

// Errors of the rows and stopped jobs are errors of Wait, and leak nothing.
func TestErrorsOfRows(t *testing.T) {
	for _, way := range []features.Way{features.ByCopy, features.ByBoth} {
		checkErrorsOfRows(t, features.Options{Slots: 5, Placed: gputest.FirstRows(5), Misses: way})
	}
}

func checkErrorsOfRows(t *testing.T, o features.Options) {
	x := newTable(t, 40, 24)
	s := open(t, x, o)
	if _, err := readOf(s, gputest.FirstRows(40)); err != nil {
		t.Fatal(err)
	}
	held := settled(t)
	x.Failing = os.ErrNotExist
	if _, err := readOf(s, gputest.FirstRows(40)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%v, expected the error of the rows", err)
	}
	x.Failing = nil
	j := &job.Job{Stop: 1}
	all, err := features.Read([]features.Request{{Store: s, IDs: gputest.HostIDs(gputest.FirstRows(40))}}, j)
	if err == nil {
		_, err = gputest.Fetched(all[0])
	}
	if refuse.KindOf(err) != refuse.KindInterrupted {
		t.Errorf("%v, expected the stop", err)
	}
	if got, err := readOf(s, gputest.FirstRows(40)); err != nil || !bytes.Equal(got, x.Read(gputest.FirstRows(40))) {
		t.Errorf("after an error: other rows (%v)", err)
	}
	if now := settled(t); now != held {
		t.Errorf("%d pieces of memory are held, %d were before", now, held)
	}
}

// settled waits for the device and returns the number of allocated blocks of its memory.
func settled(t *testing.T) uint64 {
	t.Helper()
	d := device(t)
	if err := d.Do(d.Trim); err != nil {
		t.Fatal(err)
	}
	return cudatest.Regions()
}

// An allocation that fails, whichever it is, leads to an error or the right rows, and leaks nothing.
func TestEveryAllocationFailsOnce(t *testing.T) {
	cudatest.Emulated(t)
	x := newTable(t, 50, 600)
	ids := gputest.FirstRows(50)
	for _, o := range []features.Options{
		{Slots: 50}, {Slots: 10, Placed: gputest.FirstRows(10), Misses: features.ByCopy}, {Slots: 10, Lookahead: true, Misses: features.ByCopy},
		{Slots: 10, Lookahead: true, Misses: features.Measured}, {Misses: features.ByBoth}, {Slots: 10, Lookahead: true, Misses: features.ByBoth},
	} {
		run := func() error {
			s, err := features.Open(device(t), x, o, nil)
			if err != nil {
				return err
			}
			defer func() {
				if err := s.Close(); err != nil {
					t.Error(err)
				}
			}()
			got, err := readOf(s, ids)
			if err == nil && !bytes.Equal(got, x.Read(ids)) {
				t.Errorf("%+v: other rows", o)
			}
			if o.Lookahead && err == nil {
				err = s.Announce(gputest.HostIDs(ids))
			}
			if err == nil {
				err = features.Refresh([]*features.Store{s}, ids, func() error { return nil }, nil)
			}
			return err
		}
		if err := run(); err != nil {
			t.Fatal(err)
		}
		held, before := settled(t), cudatest.Allocations()
		if err := run(); err != nil {
			t.Fatal(err)
		}
		count := cudatest.Allocations() - before
		for k := range count {
			cudatest.Set(t, "fail", cudatest.Allocations()+1+k)
			if err := run(); err != nil && refuse.KindOf(err) != refuse.KindDevice && refuse.KindOf(err) != refuse.KindMemory {
				t.Errorf("allocation %d of %d failed: %v", k+1, count, err)
			}
			cudatest.Set(t, "fail", 0)
			if now := settled(t); now != held {
				t.Fatalf("allocation %d of %d failed: %d pieces of memory are held, %d were before", k+1, count, now, held)
			}
		}
	}
}

// A cache that exceeds the GPU's memory, or the limit on it, is refused.
func TestCachesThatDoNotFit(t *testing.T) {
	x := newTable(t, 1000, 64)
	t.Setenv("GONEXTDOOR_DEVICE_MEMORY", "20KB")
	_, err := features.Open(device(t), x, features.Options{Slots: 1000}, nil)
	if refuse.KindOf(err) != refuse.KindDevice || !strings.Contains(err.Error(), "GONEXTDOOR_DEVICE_MEMORY") {
		t.Errorf("%v, expected a DeviceError that names the limit", err)
	}
	t.Setenv("GONEXTDOOR_DEVICE_MEMORY", "")
	cudatest.Emulated(t)
	settled(t)
	cudatest.Set(t, "memory", 40_000)
	_, err = features.Open(device(t), x, features.Options{Slots: 1000}, nil)
	if refuse.KindOf(err) != refuse.KindDevice || !strings.Contains(err.Error(), "cache fewer rows") {
		t.Errorf("%v, expected a DeviceError that recommends a smaller cache", err)
	}
	for _, o := range []features.Options{{Slots: -1}, {Slots: 1001}, {Slots: 1, Placed: []uint32{1, 2}}} {
		if _, err := features.Open(device(t), x, o, nil); refuse.KindOf(err) != refuse.KindValue {
			t.Errorf("%+v: %v, expected a ValueError", o, err)
		}
	}
}

// A copy or a launch that the driver refuses, whichever it is, leads to an error or the right rows. It leaks nothing, and later
// reads are right.
func TestEveryCallFailsOnce(t *testing.T) {
	cudatest.Emulated(t)
	x := newTable(t, 50, 600)
	ids := gputest.FirstRows(50)
	for _, o := range []features.Options{
		{Slots: 10, Placed: gputest.FirstRows(10), Misses: features.ByCopy}, {Slots: 10, Lookahead: true, Misses: features.ByCopy},
		{Misses: features.ByBoth, Share: 1 << 15}, {Slots: 10, Lookahead: true, Misses: features.ByBoth, Share: 1 << 15},
	} {
		s := open(t, x, o)
		run := func() (err error) {
			if o.Lookahead {
				err = s.Announce(gputest.HostIDs(ids))
			}
			for range 2 {
				got, failed := readOf(s, ids)
				if failed == nil && !bytes.Equal(got, x.Read(ids)) {
					t.Errorf("%+v: other rows", o)
				}
				err = errors.Join(err, failed)
			}
			return err
		}
		for range 2 {
			if err := run(); err != nil {
				t.Fatal(err)
			}
		}
		held := settled(t)
		for _, kind := range []string{"copy", "launch"} {
			before := cudatest.Calls(kind, 0)
			if err := run(); err != nil {
				t.Fatal(err)
			}
			count, failed := cudatest.Calls(kind, 0)-before, 0
			for k := range count {
				cudatest.Inject(t, kind, 0, k+1, 999)
				if run() != nil {
					failed++
				}
				cudatest.Inject(t, kind, 0, 0, 0)
				for range 2 {
					if err := run(); err != nil {
						t.Fatalf("%s %d of %d failed, and so did a later read: %v", kind, k+1, count, err)
					}
				}
				if now := settled(t); now != held {
					t.Fatalf("%s %d of %d failed: %d pieces of memory are held, %d were before", kind, k+1, count, now, held)
				}
			}
			if failed == 0 {
				t.Errorf("no %s failed", kind)
			}
		}
	}
}
