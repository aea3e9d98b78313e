package features_test

import (
	"bytes"
	"errors"
	"slices"
	"testing"

	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/cuda/cudatest"
	"gonextdoor/gonextdoor/engine/gpu/features"
	"gonextdoor/gonextdoor/engine/gpu/gputest"
	"gonextdoor/gonextdoor/refuse"
)

// peers returns the first n GPUs.
func peers(t *testing.T, n int) (all []*cuda.Device) {
	device(t)
	if count, err := cuda.Count(); err != nil || count < n {
		t.Skipf("this machine has %d GPUs (%v)", count, err)
	}
	ids := make([]int, n)
	for i := range n {
		d, err := cuda.Open(i)
		if err != nil {
			t.Fatal(err)
		}
		ids[i], all = i, append(all, d)
	}
	if err := cuda.CheckPeers(ids); err != nil {
		t.Skip(err)
	}
	return all
}

// openShared opens a store on each GPU, with slots that they share. The caller closes them.
func openShared(t *testing.T, devices []*cuda.Device, x *gputest.Features, o features.Options, hot int) (all []*features.Store) {
	t.Helper()
	m, err := features.NewShared(devices, int64(o.Slots*x.RowBytes), int64(hot*x.RowBytes))
	if err != nil {
		t.Fatal(err)
	}
	o.Memory = m
	for _, d := range devices {
		s, err := features.Open(d, x, o, nil)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, s)
	}
	if err := m.Release(); err != nil {
		t.Fatal(err)
	}
	return all
}

// Each GPU reads all rows, whichever GPU has them, before and after rows change; also when other stores are closed before.
func TestSharedSlotsHaveTheRows(t *testing.T) {
	const rows, rowBytes = 9000, 1000 // 9 MB: at least 4 granules of 2 MiB
	for _, c := range []struct{ gpus, slots, hot int }{{2, 7000, 0}, {3, 9000, 2500}, {3, 10, 3}, {1, 100, 7}} {
		devices := peers(t, c.gpus)
		x := newTable(t, rows, rowBytes)
		o := features.Options{Slots: c.slots, Misses: features.ByCopy}
		if c.slots < rows {
			o.Placed = gputest.FirstRows(rows)[:c.slots]
		}
		before := memoryOf(t, devices)
		all := openShared(t, devices, x, o, c.hot)
		check := func(k int, seed uint64) {
			t.Helper()
			ids := append(gputest.FeatureBatches(rows, 1, 3000, seed)[0], gputest.FirstRows(rows)[max(0, c.slots-5):]...)
			got, err := gputest.ReadOf(all[k], gputest.HostIDs(ids))
			if err != nil || !bytes.Equal(got, x.Read(ids)) {
				t.Errorf("%+v: GPU %d: other rows (%v)", c, k, err)
			}
		}
		for k := range all {
			check(k, uint64(k))
		}
		changed := gputest.FirstRows(rows)[max(0, c.slots-300):]
		change := func() error {
			for _, id := range changed {
				x.Row(id)[3]++
			}
			return nil
		}
		for _, s := range all { // as the facade does, one GPU within the other
			inner := change
			change = func() error { return features.Refresh([]*features.Store{s}, changed, inner, nil) }
		}
		if err := change(); err != nil {
			t.Fatal(err)
		}
		for k, s := range all {
			check(k, uint64(k)+10)
			if n := s.Counts(); n.Hits == 0 || n.Misses == 0 && c.slots < rows {
				t.Errorf("%+v: GPU %d: %+v", c, k, n)
			}
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
		}
		if after := memoryOf(t, devices); !slices.Equal(before, after) {
			t.Errorf("%+v: %d bytes are held, %d were before", c, after, before)
		}
	}
}

// memoryOf returns what stores may still take of each GPU.
func memoryOf(t *testing.T, devices []*cuda.Device) (spare []int64) {
	for _, d := range devices {
		err := d.Do(d.Synchronize)
		bytes, failed := features.Memory(d)
		if err = errors.Join(err, failed); err != nil {
			t.Fatal(err)
		}
		spare = append(spare, bytes)
	}
	return spare
}

// Each GPU takes a replica of the first slots, and its part of the others.
func TestSharedSlotsAreDivided(t *testing.T) {
	devices := peers(t, 2)
	x := newTable(t, 9000, 1000)
	const mib = 1 << 20
	all := openShared(t, devices, x, features.Options{Slots: 9000, Misses: features.ByCopy}, 2000)
	if a, b := all[0].Bytes(), all[1].Bytes(); a != 6*mib || b != 6*mib { // replicas of 2 MiB, and parts of 4 and 3 MiB in granules of 2
		t.Errorf("the GPUs hold %d and %d MiB, expected 6 and 6", a/mib, b/mib)
	}
	for _, s := range all {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

// Memory that cannot be shared, or not as asked, is an error, after which nothing is held.
func TestSharedSlotsAreRefused(t *testing.T) {
	devices := peers(t, 2)
	x := newTable(t, 100, 1000)
	before := memoryOf(t, devices)
	for _, bytes := range [][2]int64{{0, 0}, {10, 11}, {10, -1}} {
		if _, err := features.NewShared(devices, bytes[0], bytes[1]); refuse.KindOf(err) != refuse.KindValue {
			t.Errorf("%d: %v, expected a ValueError", bytes, err)
		}
	}
	if _, err := features.NewShared(devices, 1<<50, 1<<20); refuse.KindOf(err) != refuse.KindDevice {
		t.Errorf("%v, expected a DeviceError", err)
	}
	m, err := features.NewShared(devices[:1], 50_000, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range []features.Options{{Slots: 50}, {Slots: 50, Lookahead: true}, {Slots: 40}} {
		o.Memory, o.Misses = m, features.ByCopy
		d := devices[1]
		if o.Lookahead {
			d = devices[0]
		}
		if _, err := features.Open(d, x, o, nil); refuse.KindOf(err) != refuse.KindValue {
			t.Errorf("%+v: %v, expected a ValueError", o, err)
		}
	}
	if err := m.Release(); err != nil {
		t.Error(err)
	}
	if after := memoryOf(t, devices); !slices.Equal(before, after) {
		t.Errorf("%d bytes are left, %d were before", after, before)
	}
}

// Whichever call of the driver fails while slots are shared, nothing is held afterwards, and the next time it works.
func TestSharingFails(t *testing.T) {
	cudatest.Emulated(t)
	devices := peers(t, 3)
	x := newTable(t, 9000, 1000)
	share := func() error {
		m, err := features.NewShared(devices, 9_000_000, 2_500_000)
		if err != nil {
			return err
		}
		s, err := features.Open(devices[1], x, features.Options{Slots: 9000, Memory: m, Misses: features.ByCopy}, nil)
		err = errors.Join(err, m.Release())
		if s != nil {
			err = errors.Join(err, s.Close())
		}
		return err
	}
	if err := share(); err != nil {
		t.Fatal(err)
	}
	before, regions := memoryOf(t, devices), cudatest.Regions()
	check := func(what string, k uint64, failed bool) {
		t.Helper()
		if after := memoryOf(t, devices); !failed || !slices.Equal(before, after) || cudatest.Regions() != regions {
			t.Fatalf("%s %d failed (%v): %d bytes are left, %d were before", what, k, failed, after, before)
		}
	}
	for k := range uint64(6) { // a replica and a part for each GPU
		cudatest.Set(t, "fail_chunk", cudatest.Chunks()+1+k)
		check("chunk", k, share() != nil)
	}
	cudatest.Set(t, "fail_chunk", 0)
	for _, kind := range []string{"copy", "launch"} {
		cudatest.Inject(t, kind, 1, 1, 999)
		check(kind, 1, share() != nil)
		cudatest.Inject(t, kind, 1, 0, 0)
	}
	if err := share(); err != nil {
		t.Error(err)
	}
}
