package enginetest

import (
	"fmt"
	"os"
	"strconv"
	"testing"
	"time"
)

// SeedVariable names the environment variable that selects the share of the large corpora in short runs (go test -short).
// The default is the UTC date as yyyymmdd, so that the selection changes daily. tests/daily.py reads it too.
const SeedVariable = "GONEXTDOOR_TEST_SEED"

// Seed returns the value of SeedVariable. A value that is not an integer from 0 to 2^63-1 fails the test.
func Seed(t testing.TB) uint64 {
	t.Helper()
	text := os.Getenv(SeedVariable)
	if text == "" {
		text = time.Now().UTC().Format("20060102")
	}
	seed, err := strconv.ParseUint(text, 10, 63)
	if err != nil {
		t.Fatalf("%s=%s: expected an integer from 0 to 2^63-1", SeedVariable, text)
	}
	return seed
}

// Share selects one item in every of a corpus, in the order of the calls of Takes: item i if i and the seed have the same
// remainder by every. Any consecutive seeds (the days of a month), as many as every, select each item once. By dates, every
// item is selected within 43 days if every is at most 28, within 179 days if it is 119; multiples of 50 never select some
// items, since a month adds 100 to the seed. A Share is not safe for concurrent use.
type Share struct {
	seed, every, at uint64
}

// NewShare returns the share of one item in every; all items if every is 1, or if the run is not short. It logs the seed,
// so that each failure of the test shows how to repeat it.
func NewShare(t testing.TB, every int) *Share {
	t.Helper()
	if every == 1 || !testing.Short() {
		return &Share{every: 1}
	}
	return DailyShare(t, every)
}

// DailyShare is NewShare for a corpus that takes too long even in runs that are not short: it is always one item in every.
func DailyShare(t testing.TB, every int) *Share {
	t.Helper()
	s := &Share{seed: Seed(t), every: uint64(every)}
	t.Log(s)
	return s
}

// Takes reports whether the next item is in the share.
func (s *Share) Takes() bool {
	taken := s.at%s.every == s.seed%s.every
	s.at++
	return taken
}

// String describes the share, with the setting that repeats it.
func (s *Share) String() string {
	if s.every == 1 {
		return "all cases"
	}
	return fmt.Sprintf("one case in %d, %s=%d", s.every, SeedVariable, s.seed)
}
