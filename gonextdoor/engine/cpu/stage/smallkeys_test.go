package stage

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"gonextdoor/gonextdoor/rng"
)

// Both forms of SmallKeys find the small keys, in order, and write at most SmallKeysSlack elements past them.
func TestSmallKeysFindsTheSmallKeys(t *testing.T) {
	for n := range 100 {
		vertices := numbers[uint32](n, math.MaxUint32, rng.Key(n))
		stream := rng.NewStream(uint64(n), rng.Batches)
		for _, share := range []uint64{0, 1 << 58, 1<<59 - 1, 1 << 59, 1 << 63, math.MaxUint64} {
			limits := []uint64{share}
			if n > 0 {
				limits = append(limits, uint64(stream.Key(uint64(vertices[n/2]))), uint64(stream.Key(uint64(vertices[n-1])))-1)
			}
			for _, limit := range limits {
				var keys, places []uint64
				for i, u := range vertices {
					if key := uint64(stream.Key(uint64(u))); key <= limit {
						keys, places = append(keys, key), append(places, 1<<40+uint64(i))
					}
				}
				for _, avx512 := range []bool{false, true} {
					gotKeys, gotPlaces := make([]uint64, n+SmallKeysSlack), make([]uint64, n+SmallKeysSlack)
					got := SmallKeys(stream, vertices, limit, 1<<40, gotKeys, gotPlaces, avx512)
					if !slices.Equal(gotKeys[:got], keys) || !slices.Equal(gotPlaces[:got], places) {
						t.Fatalf("AVX-512 %v, %d vertices, limit %d: keys %v at %v, want %v at %v", avx512, n, limit, gotKeys[:got], gotPlaces[:got], keys, places)
					}
				}
			}
		}
	}
}

// Both forms of SmallRatios find the small ratios, in order, and never a vertex of bias 0.
func TestSmallRatiosFindsTheSmallRatios(t *testing.T) {
	for n := range 100 {
		vertices, biases := numbers[uint32](n, math.MaxUint32, rng.Key(n)), numbers[uint32](n, math.MaxUint32, rng.Key(n+1000))
		for i := range biases {
			if i%3 == 1 {
				biases[i] = uint32(i % 2)
			}
		}
		stream := rng.NewStream(uint64(n), rng.Batches)
		for _, limit := range []RatioLimit{{1, 0}, {1 << 31, 0}, {1 << 30, 3}, {77, 30}, {math.MaxUint32, 2}, {math.MaxUint32, 33}} {
			var keys, places []uint64
			for i, u := range vertices {
				if key := uint64(stream.Key(uint64(u))); key>>limit.Shift < limit.Factor*uint64(biases[i]) {
					keys, places = append(keys, key), append(places, 1<<40+uint64(i))
				}
			}
			for _, avx512 := range []bool{false, true} {
				gotKeys, gotPlaces := make([]uint64, n+SmallKeysSlack), make([]uint64, n+SmallKeysSlack)
				got := SmallRatios(stream, vertices, biases, limit, 1<<40, gotKeys, gotPlaces, avx512)
				if !slices.Equal(gotKeys[:got], keys) || !slices.Equal(gotPlaces[:got], places) {
					t.Fatalf("AVX-512 %v, %d vertices, limit %v: keys %v at %v, want %v at %v", avx512, n, limit, gotKeys[:got], gotPlaces[:got], keys, places)
				}
			}
		}
	}
}

func BenchmarkSmallKeys(b *testing.B) {
	vertices := numbers[uint32](1<<12, math.MaxUint32, 1)
	keys, places := make([]uint64, len(vertices)+SmallKeysSlack), make([]uint64, len(vertices)+SmallKeysSlack)
	for _, avx512 := range []bool{false, true} {
		b.Run(fmt.Sprintf("avx512=%v", avx512), func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				SmallKeys(rng.Stream(i), vertices, 1<<56, 0, keys, places, avx512)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(vertices)), "ns/key")
		})
	}
}
