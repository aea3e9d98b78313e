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
	for _, c := range []struct{ rows, slots, placed, size, ahead int }{
		{60, 12, 0, 25, 3}, {60, 12, 12, 25, 31}, {200, 40, 7, 90, 1}, {33, 33, 5, 40, 8}, {50, 1, 0, 30, 5}, {40, 5, 5, 20, 0},
		{6000, 3000, 0, 5000, 2},
	} {
		t.Run(fmt.Sprintf("%+v", c), func(t *testing.T) {
			x := newTable(t, c.rows, 8)
			placed := first(c.rows)[:c.placed]
			s := open(t, x, features.Options{Slots: c.slots, Placed: placed, Lookahead: true, Misses: features.ByCopy})
			belady := gputest.NewBelady(c.slots, placed)
			count := 40
			if c.rows > 1000 {
				count = 4
			}
			all, announced, misses := batches(c.rows, count, c.size, uint64(c.rows)), 0, 0
			for k, ids := range all {
				for ; announced < min(k+c.ahead, len(all)); announced++ {
					if err := s.Announce(hostIDs(all[announced])); err != nil {
						t.Fatal(err)
					}
					belady.Announced = append(belady.Announced, all[announced])
				}
				announced = max(announced, k+1)
				got, err := readOf(s, ids)
				if err != nil || !bytes.Equal(got, x.read(ids)) {
					t.Fatalf("batch %d: other rows (%v)", k, err)
				}
				misses += belady.Read(ids)
				owners, agree, err := s.Cached()
				if err != nil || !agree {
					t.Fatalf("batch %d: places and slots differ (%v)", k, err)
				}
				for slot, row := range belady.Owners {
					if uint32(row) != owners[slot] {
						t.Fatalf("batch %d: slot %d has row %d, expected %d", k, slot, int32(owners[slot]), row)
					}
				}
				if n := s.Counts().Misses; n != int64(misses) {
					t.Fatalf("batch %d: %d rows missed so far, expected %d", k, n, misses)
				}
			}
		})
	}
}

// At most 31 batches may be announced and not read, and only to a cache that looks ahead.
func TestAnnouncementsAreLimited(t *testing.T) {
	x := newTable(t, 10, 8)
	s := open(t, x, features.Options{Slots: 2, Lookahead: true, Misses: features.ByCopy})
	for range 31 {
		if err := s.Announce(hostIDs([]uint32{1, 2})); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Announce(hostIDs([]uint32{1})); refuse.KindOf(err) != refuse.KindValue || !strings.Contains(err.Error(), "31") {
		t.Errorf("%v, expected a ValueError that names the limit", err)
	}
	if _, err := readOf(s, []uint32{1, 2}); err != nil {
		t.Fatal(err)
	}
	if err := s.Announce(hostIDs([]uint32{3, 11})); refuse.KindOf(err) != refuse.KindIndex || !strings.Contains(err.Error(), "ids[1] = 11") {
		t.Errorf("%v, expected an IndexError that names the id", err)
	}
	static := open(t, x, features.Options{Slots: 2, Placed: first(2), Misses: features.ByCopy})
	if err := static.Announce(hostIDs([]uint32{1})); refuse.KindOf(err) != refuse.KindValue {
		t.Errorf("%v, expected a ValueError", err)
	}
}

// If rows could not be copied to the cache, reads that were planned with them fail, and later ones have the right rows.
func TestALostCacheBeginsAgain(t *testing.T) {
	x := newTable(t, 40, 24)
	s := open(t, x, features.Options{Slots: 10, Lookahead: true, Misses: features.ByCopy})
	if _, err := readOf(s, first(40)); err != nil {
		t.Fatal(err)
	}
	if err := s.Announce(hostIDs(first(40)[20:])); err != nil {
		t.Fatal(err)
	}
	x.failing = fmt.Errorf("a broken disk")
	if _, err := readOf(s, first(40)[10:]); err == nil || !strings.Contains(err.Error(), "a broken disk") {
		t.Errorf("%v, expected the error of the rows", err)
	}
	x.failing = nil
	for range 3 {
		if got, err := readOf(s, first(40)); err != nil || !bytes.Equal(got, x.read(first(40))) {
			t.Errorf("after an error: other rows (%v)", err)
		}
	}
}
