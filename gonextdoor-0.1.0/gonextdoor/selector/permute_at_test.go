package selector

import (
	"slices"
	"testing"

	"gonextdoor/gonextdoor/rng"
)

// equalPermute compares the fast form with the definition, and checks that nothing is written after the picks.
func equalPermute(t *testing.T, key rng.Key, k, n uint64, s *Scratch) {
	t.Helper()
	want := Permute(key, k, n, nil)
	for i := range want {
		want[i] += 1000
	}
	got := make([]uint64, min(k, n)+1)
	got[len(got)-1] = 7
	count := PermuteAt(key, k, n, 1000, got, s)
	if !slices.Equal(got[:count], want) || got[len(got)-1] != 7 {
		t.Fatalf("PermuteAt(%#x, %d of %d) = %v, want %v", key, k, n, got, want)
	}
}

func TestPermuteAtEqualsPermuteOnAllSmall(t *testing.T) {
	var s Scratch
	for n := range uint64(90) {
		for k := range n + 3 {
			for id := range uint64(20) {
				equalPermute(t, rng.NewStream(n, rng.Choices).Key(k<<32|id), k, n, &s)
			}
		}
	}
}

func TestPermuteAtEqualsPermuteOnLarge(t *testing.T) {
	var s Scratch
	for id := range uint64(3000) {
		key := rng.NewStream(5, rng.Choices).Key(id)
		k, _ := rng.Below(key.Word(1<<40), 1000)
		more, _ := rng.Below(key.Word(1<<40+1), 1<<(id%34)) // from a few more candidates than picks to 2^33 more
		equalPermute(t, key, k, k+more, &s)
	}
	equalPermute(t, 77, 20000, 20001, &s)
	equalPermute(t, 78, 20000, 1<<40, &s)
	equalPermute(t, 79, 65, 66, &s)
}

func TestPermuteAtAllocatesNothing(t *testing.T) {
	var s Scratch
	dst := make([]uint64, 100)
	if n := testing.AllocsPerRun(100, func() {
		PermuteAt(1, 100, 500, 0, dst, &s)
		PermuteAt(1, 15, 500, 0, dst, &s)
	}); n != 0 {
		t.Errorf("%v allocations per choice", n)
	}
}

func BenchmarkPermute(b *testing.B) {
	for _, c := range []struct {
		name string
		k, n uint64
	}{{"5of30", 5, 30}, {"15of200", 15, 200}, {"64of70", 64, 70}, {"1000of2000", 1000, 2000}} {
		dst := make([]uint64, c.k)
		b.Run(c.name+"/definition", func(b *testing.B) {
			for i := range b.N {
				dst = Permute(rng.Key(i), c.k, c.n, dst[:0])
			}
		})
		b.Run(c.name+"/fast", func(b *testing.B) {
			var s Scratch
			for i := range b.N {
				PermuteAt(rng.Key(i), c.k, c.n, 0, dst, &s)
			}
		})
	}
}
