package enginetest

import (
	"fmt"
	"testing"
	"time"
)

// Consecutive seeds take every item of a corpus exactly once between them.
func TestSharesPartitionACorpus(t *testing.T) {
	const every, items = 12, 100
	var taken [items]int
	for seed := range uint64(every) {
		s := &Share{seed: 20260131 + seed, every: every}
		for i := range items {
			if s.Takes() {
				taken[i]++
			}
		}
	}
	for i, n := range taken {
		if n != 1 {
			t.Errorf("item %d is in %d shares of %d", i, n, every)
		}
	}
}

func TestSeedIsTheDateUnlessGiven(t *testing.T) {
	t.Setenv(SeedVariable, "")
	today := func() string { return time.Now().UTC().Format("20060102") }
	before := today()
	if got := fmt.Sprint(Seed(t)); got != before && got != today() { // midnight may pass between the two
		t.Errorf("%s on %s", got, before)
	}
	t.Setenv(SeedVariable, "7")
	if s := Seed(t); s != 7 {
		t.Errorf("%d, expected 7", s)
	}
}

func TestAShareOfOneInOneIsAll(t *testing.T) {
	s := NewShare(t, 1)
	for range 5 {
		if !s.Takes() {
			t.Error("an item is left out")
		}
	}
}

// A daily share is a share in runs that are not short, too.
func TestADailyShareOfOneInTwelve(t *testing.T) {
	s, taken := DailyShare(t, 12), 0
	for range 60 {
		if s.Takes() {
			taken++
		}
	}
	if taken != 5 {
		t.Errorf("%d of 60 items", taken)
	}
}
