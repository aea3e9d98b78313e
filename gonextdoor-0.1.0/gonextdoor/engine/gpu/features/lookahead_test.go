package features_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"gonextdoor/gonextdoor/engine/gpu/features"
	"gonextdoor/gonextdoor/engine/gpu/gputest"
	"gonextdoor/gonextdoor/refuse"
)

// A cache that looks ahead has the rows that Belady's rule keeps, batch by batch, and misses the same ones.
func TestLookaheadEqualsBelady(t *testing.T) {
	for _, c := range gputest.FeatureCases() {
		if !c.Lookahead {
			continue
		}
		t.Run(fmt.Sprintf("%+v", c), func(t *testing.T) {
			err := c.Check(device(t), newTable(t, c.Rows, c.RowBytes), func(s *features.Store, b *gputest.Belady) error {
				owners, agree, err := s.Cached()
				if err != nil || !agree {
					return fmt.Errorf("places and slots differ (%w)", err)
				}
				for slot, row := range b.Owners {
					if uint32(row) != owners[slot] {
						return fmt.Errorf("slot %d has row %d, expected %d", slot, int32(owners[slot]), row)
					}
				}
				return nil
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
}

// At most 59 batches may be announced and not read, and only to a cache that looks ahead.
func TestAnnouncementsAreLimited(t *testing.T) {
	x := newTable(t, 10, 8)
	s := open(t, x, features.Options{Slots: 2, Lookahead: true, Misses: features.ByCopy})
	for range 59 {
		if err := s.Announce(gputest.HostIDs([]uint32{1, 2})); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Announce(gputest.HostIDs([]uint32{1})); refuse.KindOf(err) != refuse.KindValue || !strings.Contains(err.Error(), "59") {
		t.Errorf("%v, expected a ValueError that names the limit", err)
	}
	if _, err := readOf(s, []uint32{1, 2}); err != nil {
		t.Fatal(err)
	}
	if err := s.Announce(gputest.HostIDs([]uint32{3, 11})); refuse.KindOf(err) != refuse.KindIndex || !strings.Contains(err.Error(), "ids[1] = 11") {
		t.Errorf("%v, expected an IndexError that names the id", err)
	}
	for _, slots := range []int{0, 10} {
		s := open(t, x, features.Options{Slots: slots, Lookahead: true, Misses: features.ByCopy})
		for range 70 {
			if err := s.Announce(gputest.HostIDs([]uint32{1})); err != nil {
				t.Fatalf("%d slots: %v", slots, err)
			}
		}
	}
	static := open(t, x, features.Options{Slots: 2, Placed: gputest.FirstRows(2), Misses: features.ByCopy})
	if err := static.Announce(gputest.HostIDs([]uint32{1})); refuse.KindOf(err) != refuse.KindValue {
		t.Errorf("%v, expected a ValueError", err)
	}
}

// The classes of rows must be those of all rows, and exist.
func TestClassesAreChecked(t *testing.T) {
	x := newTable(t, 3, 8)
	for _, classes := range [][]uint8{{0, 0}, {0, 16, 0}, {}} {
		o := features.Options{Slots: 1, Lookahead: true, Classes: classes, Misses: features.ByCopy}
		if _, err := features.Open(device(t), x, o, nil); refuse.KindOf(err) != refuse.KindValue || !strings.Contains(err.Error(), "class") {
			t.Errorf("%v: %v, expected a ValueError", classes, err)
		}
	}
}

// Two batches of one cache that looks ahead are not read together: the first may evict rows of the second.
func TestTwoBatchesOfACacheAreNotReadTogether(t *testing.T) {
	x := newTable(t, 10, 8)
	ids := gputest.HostIDs([]uint32{1, 2})
	ahead := open(t, x, features.Options{Slots: 2, Lookahead: true, Misses: features.ByCopy})
	_, err := features.Read([]features.Request{{Store: ahead, IDs: ids}, {Store: ahead, IDs: ids}}, nil)
	if refuse.KindOf(err) != refuse.KindValue {
		t.Errorf("%v, expected a ValueError", err)
	}
	static := open(t, x, features.Options{Slots: 2, Placed: []uint32{1, 2}, Misses: features.ByCopy})
	all, err := features.Read([]features.Request{{Store: static, IDs: ids}, {Store: static, IDs: ids}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range all {
		if got, err := gputest.Fetched(r); err != nil || !bytes.Equal(got, x.Read([]uint32{1, 2})) {
			t.Errorf("other rows (%v)", err)
		}
	}
}

// If rows could not be copied to the cache, reads that were planned with them fail, and later ones have the right rows.
func TestALostCacheBeginsAgain(t *testing.T) {
	x := newTable(t, 40, 24)
	s := open(t, x, features.Options{Slots: 10, Lookahead: true, Misses: features.ByCopy})
	x.Failing = fmt.Errorf("a broken disk")
	if _, err := readOf(s, gputest.FirstRows(40)[10:]); err == nil || !strings.Contains(err.Error(), "a broken disk") {
		t.Errorf("%v, expected the error of the rows", err)
	}
	x.Failing = nil
	for range 3 {
		if got, err := readOf(s, gputest.FirstRows(40)); err != nil || !bytes.Equal(got, x.Read(gputest.FirstRows(40))) {
			t.Errorf("after an error: other rows (%v)", err)
		}
	}
}
