package features_test

import (
	"bytes"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"unsafe"

	"gonextdoor/gonextdoor/engine/gpu/features"
	"gonextdoor/gonextdoor/engine/gpu/gputest"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/refuse"
)

// Missed rows are the same however they are divided between a kernel and CPU threads, and each way reads its share of them.
func TestAnyShareOfTheMissedRows(t *testing.T) {
	x := newTable(t, 97, 400)
	for _, o := range []features.Options{
		{}, {Slots: 10, Placed: gputest.FirstRows(10)}, {Slots: 10, Lookahead: true}, {Slots: 96, Placed: gputest.FirstRows(97)[:96]},
	} {
		for _, share := range []int{0, 1, 1000, 1 << 14, 21845, 1 << 15, 1<<16 - 1, 1 << 16} {
			t.Run(fmt.Sprintf("%d slots, %v, share %d", o.Slots, o.Lookahead, share), func(t *testing.T) {
				o := o
				o.Misses, o.Share, o.Threads = features.ByBoth, share, 2
				s, byKernel := open(t, x, o), int64(0)
				for k, ids := range gputest.FeatureBatches(97, 6, 300, uint64(share)) {
					before := s.Counts()
					got, err := readOf(s, ids)
					if err != nil || !bytes.Equal(got, x.Read(ids)) {
						t.Fatalf("batch %d: other rows (%v)", k, err)
					}
					after := s.Counts()
					byKernel += (after.Misses - before.Misses) * int64(share) >> 16
					if share > 0 && after.ByKernel != byKernel {
						t.Errorf("batch %d: the kernel has read %d rows, expected %d of %d", k, after.ByKernel, byKernel, after.Misses)
					}
				}
			})
		}
	}
	for _, share := range []int{-1, 1<<16 + 1} {
		_, err := features.Open(device(t), x, features.Options{Misses: features.ByBoth, Share: share}, nil)
		if refuse.KindOf(err) != refuse.KindValue || !strings.Contains(err.Error(), fmt.Sprint(share)) {
			t.Errorf("a share of %d: %v, expected a ValueError", share, err)
		}
	}
}

// The share follows from the rates of both ways. Neither way loses all rows, and a share that was given stays.
func TestTheShareFollowsTheRates(t *testing.T) {
	for _, c := range []struct{ kernel, threads, want float64 }{
		{25, 25, 0.5}, {25, 18.8, 25 / 43.8}, {1, 1000, 1.0 / 32}, {1000, 1, 31.0 / 32},
	} {
		share := features.ShareOfRates(c.kernel, c.threads, 20)
		if got := float64(share) / (1 << 16); got < c.want-0.001 || got > c.want+0.001 {
			t.Errorf("rates of %g and %g: a share of %.4f, expected %.4f", c.kernel, c.threads, got, c.want)
		}
	}
	// The latest reads count most: after a change of the rates, a few reads are enough.
	if share := features.ShareAfterChange(30, 10, 10, 30, 12); share > 1<<16*30/100 {
		t.Errorf("a share of %d of 65536 after a change to 1/4", share)
	}
	x := newTable(t, 97, 400)
	for _, fixed := range []int{0, 1 << 12} {
		s := open(t, x, features.Options{Misses: features.ByBoth, Share: fixed})
		for range 20 {
			if _, err := readOf(s, gputest.FirstRows(97)); err != nil {
				t.Fatal(err)
			}
		}
		share := features.ShareOf(s)
		if fixed > 0 && share != fixed || fixed == 0 && (share < 1<<11 || share > 1<<16-1<<11) {
			t.Errorf("a share of %d after a start with %d", share, fixed)
		}
	}
}

// A kernel reads the rows of arrays of any size in the order of at most 1024 buckets.
func TestRowsAreReadInBuckets(t *testing.T) {
	for _, rows := range []int{1, 2, 1023, 1024, 1025, 5000, 1 << 14, 1<<14 + 1} {
		x := newTable(t, rows, 16)
		for _, share := range []int{20000, 1 << 16} {
			s := open(t, x, features.Options{Misses: features.ByBoth, Share: share})
			if last := (rows - 1) >> features.BucketShift(s); last > 1023 || rows > 1024 && last < 512 {
				t.Errorf("%d rows: the last bucket is %d", rows, last)
			}
			ids := append(gputest.FeatureBatches(rows, 1, 4000, uint64(rows))[0], uint32(rows-1), 0)
			if got, err := readOf(s, ids); err != nil || !bytes.Equal(got, x.Read(ids)) {
				t.Errorf("%d rows: other rows (%v)", rows, err)
			}
		}
	}
}

// More missed rows than the pinned memory holds are divided, too.
func TestManyRowsByBothWays(t *testing.T) {
	x := newTable(t, 80, 1<<20)
	s := open(t, x, features.Options{Misses: features.ByBoth, Share: 1 << 13, Threads: 3})
	for range 2 {
		if got, err := readOf(s, gputest.FirstRows(80)); err != nil || !bytes.Equal(got, x.Read(gputest.FirstRows(80))) {
			t.Errorf("other rows (%v)", err)
		}
	}
}

// stopping stops a job when some rows have been gathered.
type stopping struct {
	*gputest.Features
	job   *job.Job
	calls atomic.Int64
}

// Gather copies rows.
func (x *stopping) Gather(ids []uint32, to []byte) error {
	if x.job != nil && x.calls.Add(1) == 2 {
		atomic.StoreInt64(&x.job.Stop, 1)
	}
	return x.Features.Gather(ids, to)
}

// A read that is stopped while both ways read ends with an error. Nothing is leaked, and later reads are right.
func TestAStopWhileBothWaysRead(t *testing.T) {
	x := &stopping{Features: newTable(t, 64, 1<<18)}
	s := open(t, x, features.Options{Misses: features.ByBoth, Share: 1 << 14, Threads: 2})
	ids, held := gputest.FirstRows(64), uint64(0)
	for range 2 {
		if got, err := readOf(s, ids); err != nil || !bytes.Equal(got, x.Read(ids)) {
			t.Fatalf("other rows (%v)", err)
		}
		if now := settled(t); held != 0 && now != held {
			t.Errorf("%d pieces of memory are held, %d were before", now, held)
		} else {
			held = now
		}
		x.job = &job.Job{}
		x.calls.Store(0)
		all, err := features.Read([]features.Request{{Store: s, IDs: gputest.HostIDs(ids)}}, x.job)
		if err == nil {
			_, err = gputest.Fetched(all[0])
		}
		if refuse.KindOf(err) != refuse.KindInterrupted {
			t.Errorf("%v, expected the stop", err)
		}
		x.job = nil
	}
}

// Rows that another library has pinned, as a whole or as part of more memory, are read by a kernel and stay pinned.
func TestRowsThatArePinnedAlready(t *testing.T) {
	d := device(t)
	x := newTable(t, 300, 400)
	all := unsafe.Pointer(unsafe.SliceData(x.Bytes))
	if err := d.Do(func() error { return d.Register(all, 300*400) }); err != nil {
		t.Fatal(err)
	}
	for _, rows := range []int{300, 200} {
		part := &gputest.Features{Bytes: x.Bytes[400*(300-rows):], RowBytes: 400}
		for _, way := range []features.Way{features.ByKernel, features.ByBoth} {
			s, err := features.Open(d, part, features.Options{Misses: way}, nil)
			if err != nil {
				t.Fatal(err)
			}
			ids := gputest.FirstRows(rows)
			if got, err := readOf(s, ids); err != nil || !bytes.Equal(got, part.Read(ids)) {
				t.Errorf("other rows (%v)", err)
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		}
	}
	if err := d.Do(func() error { return d.Unregister(all) }); err != nil {
		t.Errorf("the memory is not pinned any more: %v", err)
	}
}

// gaps is rows that are not one block of memory.
type gaps struct{ *gputest.Features }

// Block returns nothing.
func (gaps) Block() []byte { return nil }

// A way that was measured has a reason, also if a kernel cannot read the rows.
func TestMeasuredWaysHaveAReason(t *testing.T) {
	d := device(t)
	pinned := newTable(t, 300, 400)
	part := unsafe.Pointer(unsafe.SliceData(pinned.Bytes[:400]))
	if err := d.Do(func() error { return d.Register(part, 400) }); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := d.Do(func() error { return d.Unregister(part) }); err != nil {
			t.Error(err)
		}
	}()
	for _, c := range []struct {
		rows features.Rows
		ways []features.Way
		why  string
	}{
		{newTable(t, 300, 28), []features.Way{features.ByCopy}, "28 bytes"},
		{gaps{newTable(t, 300, 400)}, []features.Way{features.ByCopy}, "one block"},
		{newTable(t, 300, 400), []features.Way{features.ByCopy, features.ByKernel, features.ByBoth}, "GB/s"},
	} {
		s := open(t, c.rows, features.Options{})
		way, why := s.Way()
		found := false
		for _, each := range c.ways {
			found = found || way == each
		}
		if !found || !strings.Contains(why, c.why) {
			t.Errorf("%v because %q, expected one of %v because of %q", way, why, c.ways, c.why)
		}
	}
	// Rows of which a part is pinned already cannot be pinned.
	if _, err := features.Open(d, pinned, features.Options{Misses: features.ByBoth}, nil); refuse.KindOf(err) != refuse.KindDevice {
		t.Errorf("%v, expected a DeviceError", err)
	}
	s := open(t, pinned, features.Options{})
	if way, why := s.Way(); way != features.ByCopy || !strings.Contains(why, "GB/s") && !strings.Contains(why, "pinned") {
		t.Errorf("%v because %q, expected copies", way, why)
	}
	if _, err := features.Open(d, gaps{pinned}, features.Options{Misses: features.ByBoth}, nil); err == nil || !strings.Contains(err.Error(), `misses="both"`) {
		t.Errorf("%v, expected an error that names the way", err)
	}
}
