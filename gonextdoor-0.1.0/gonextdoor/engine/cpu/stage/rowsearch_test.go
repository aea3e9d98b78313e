package stage

import (
	"fmt"
	"slices"
	"testing"

	"gonextdoor/gonextdoor/rng"
)

// Searches end at the last end point that is at most the target, with and without AVX-512, for any number of searches.
func TestRowSearches(t *testing.T) {
	indices := numbers[uint32](5000, 300, 1)
	bounds := []int{0} // of rows of 1 to 700 end points
	for k := rng.Key(2); bounds[len(bounds)-1] < len(indices); {
		n, _ := rng.Below(k.Word(uint64(len(bounds))), 700)
		bounds = append(bounds, min(bounds[len(bounds)-1]+1+int(n>>(len(bounds)%9)), len(indices)))
	}
	for i := range bounds[1:] {
		slices.Sort(indices[bounds[i]:bounds[i+1]])
	}
	for count := range 3*SearchBlock + 2 {
		var s RowSearches
		var want []uint64
		for i := range count {
			row, _ := rng.Below(rng.Key(count).Word(uint64(i)), uint64(len(bounds)-1))
			target, _ := rng.Below(rng.Key(count+1000).Word(uint64(i)), 320)
			if i%7 == 0 {
				target = 1<<32 - 1 - target
			}
			first, end := bounds[row], bounds[row+1]
			s.Add(uint64(first), uint32(end-first), uint32(target))
			after, _ := slices.BinarySearch(indices[first:end], uint32(min(target+1, 1<<32-1)))
			want = append(want, uint64(first+max(0, after-1)))
		}
		targets := slices.Clone(s.Target)
		plain := RowSearches{slices.Clone(s.Low), slices.Clone(s.Left), slices.Clone(s.Target)}
		s.Search(indices)
		plain.search(indices)
		for what, got := range map[string][]uint64{"Search": s.Low, "search": plain.Low} {
			if !slices.Equal(got, want) {
				t.Fatalf("%s of %d: %v, expected %v", what, count, got, want)
			}
		}
		if !slices.Equal(s.Target, targets) {
			t.Fatalf("%d searches: targets %v, expected %v", count, s.Target, targets)
		}
		if s.Clear(); len(s.Low)+len(s.Left)+len(s.Target) > 0 {
			t.Fatal("Clear left searches")
		}
	}
}

func BenchmarkRowSearches(b *testing.B) {
	indices := make([]uint32, 1<<20)
	for i := range indices {
		indices[i] = uint32(i)
	}
	for _, row := range []uint32{16, 256, 4096} {
		for name, search := range map[string]func(*RowSearches, []uint32){"Search": (*RowSearches).Search, "Go": (*RowSearches).search} {
			b.Run(fmt.Sprintf("%s, rows of %d", name, row), func(b *testing.B) {
				var s RowSearches
				for n := range b.N {
					s.Clear()
					for i := range uint64(128) {
						first, _ := rng.Below(rng.Key(n).Word(i), uint64(len(indices))/uint64(row))
						s.Add(first*uint64(row), row, uint32(first)*row+uint32(i))
					}
					search(&s, indices)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(128*b.N), "ns/search")
			})
		}
	}
}
