package stage

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"gonextdoor/gonextdoor/rng"
)

// Both forms of SmallNumbers find the small numbers, in order, and write at most SmallSlack elements past them.
func TestSmallNumbersFindsTheSmallNumbers(t *testing.T) {
	for n := range 150 {
		vertices := numbers[uint32](n, math.MaxUint32, rng.Key(n))
		stream := rng.NewStream(uint64(n), rng.Batches)
		for _, share := range []uint32{0, 1 << 25, 1<<26 - 1, 1 << 26, 1 << 31, math.MaxUint32} {
			limits := []uint32{share}
			if n > 0 {
				limits = append(limits, stream.High(vertices[n/2]), stream.High(vertices[n-1])-1)
			}
			for _, limit := range limits {
				var highs, places []uint32
				for i, u := range vertices {
					if high := stream.High(u); high <= limit {
						highs, places = append(highs, high), append(places, 1<<30+uint32(i))
					}
				}
				for _, avx512 := range []bool{false, true} {
					gotHighs, gotPlaces := make([]uint32, n+SmallSlack), make([]uint32, n+SmallSlack)
					got := SmallNumbers(stream, vertices, limit, 1<<30, gotHighs, gotPlaces, avx512)
					if !slices.Equal(gotHighs[:got], highs) || !slices.Equal(gotPlaces[:got], places) {
						t.Fatalf("AVX-512 %v, %d vertices, limit %d: %v at %v, want %v at %v", avx512, n, limit, gotHighs[:got], gotPlaces[:got], highs, places)
					}
				}
			}
		}
	}
}

// Both forms of SmallRatios find the same vertices, in order: all whose ratio is below the limit, and no vertex of bias 0.
func TestSmallRatiosFindsTheSmallRatios(t *testing.T) {
	for n := range 150 {
		vertices, biases := numbers[uint32](n, math.MaxUint32, rng.Key(n)), numbers[uint32](n, math.MaxUint32, rng.Key(n+1000))
		for i := range biases {
			if i%3 == 1 {
				biases[i] = uint32(i % 2)
			}
		}
		stream := rng.NewStream(uint64(n), rng.Batches)
		for _, limit := range []RatioLimit{{1, 0}, {1 << 31, 0}, {1 << 30, 3}, {77, 30}, {9, 32}, {math.MaxUint32, 2}, {math.MaxUint32, 33}} {
			var places, below []uint32
			for i, u := range vertices {
				if uint64(stream.High(u))<<32>>limit.Shift < limit.Factor*uint64(biases[i]) {
					places = append(places, 1<<30+uint32(i))
				}
				if stream.Number(u)>>limit.Shift < limit.Factor*uint64(biases[i]) {
					below = append(below, 1<<30+uint32(i))
				}
			}
			if slices.ContainsFunc(below, func(p uint32) bool { return !slices.Contains(places, p) }) {
				t.Fatalf("limit %v: %v are below, but only %v are found", limit, below, places)
			}
			for _, avx512 := range []bool{false, true} {
				gotPlaces := make([]uint32, n+SmallSlack)
				got := SmallRatios(stream, vertices, biases, limit, 1<<30, gotPlaces, avx512)
				if !slices.Equal(gotPlaces[:got], places) {
					t.Fatalf("AVX-512 %v, %d vertices, limit %v: %v, want %v", avx512, n, limit, gotPlaces[:got], places)
				}
			}
		}
	}
}

// Least takes the smallest numbers, in order, and writes nothing past them. Equal numbers that leave the choice open, and
// long lists, are left to the caller.
func TestLeastTakesTheSmallest(t *testing.T) {
	if !hasAVX512 {
		t.Skip("this CPU has no AVX-512")
	}
	for n := 1; n <= LeastMost+1; n++ {
		for _, top := range []uint64{3, 100, math.MaxUint32} {
			highs, places := make([]uint32, 2*LeastMost), make([]uint32, 2*LeastMost)
			for i, x := range numbers[uint32](n, top, rng.Key(n)) {
				highs[i], places[i] = x, 7*uint32(i)
			}
			sorted := slices.Sorted(slices.Values(highs[:n]))
			for k := 1; k <= n; k++ {
				dst, want := make([]uint64, k+1), make([]uint64, 0, k+1)
				open := n > LeastMost || k < n && sorted[k] == sorted[k-1]
				for i, x := range highs[:n] {
					if !open && x <= sorted[k-1] {
						want = append(want, 1<<40+7*uint64(i))
					}
				}
				got := Least(k, highs[:n], places, 1<<40, dst, true)
				if got == open || !slices.Equal(dst, append(want, make([]uint64, k+1-len(want))...)) {
					t.Fatalf("%d of %v: %v %v, want %v", k, highs[:n], got, dst, want)
				}
			}
		}
	}
	if Least(1, make([]uint32, 1, LeastMost), make([]uint32, LeastMost), 0, make([]uint64, 1), false) {
		t.Error("Least without AVX-512")
	}
}

func BenchmarkSmallNumbers(b *testing.B) {
	vertices := numbers[uint32](1<<12, math.MaxUint32, 1)
	highs, places := make([]uint32, len(vertices)+SmallSlack), make([]uint32, len(vertices)+SmallSlack)
	for _, avx512 := range []bool{false, true} {
		b.Run(fmt.Sprintf("avx512=%v", avx512), func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				SmallNumbers(rng.Stream(i), vertices, 1<<24, 0, highs, places, avx512)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(vertices)), "ns/number")
		})
	}
}
