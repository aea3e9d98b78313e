package stage

import (
	"slices"
	"testing"

	"gonextdoor/gonextdoor/rng"
)

// numbers returns n pseudo-random numbers below top.
func numbers[T uint32 | uint64 | int64](n int, top uint64, seed rng.Key) []T {
	s := make([]T, n)
	for i := range s {
		r, _ := rng.Below(seed.Word(uint64(i)), top)
		s[i] = T(r)
	}
	return s
}

func TestGathersEqualTwin(t *testing.T) {
	for n := range 100 {
		indices := numbers[uint32](50, 50, 1)
		ids, slots := make([]uint32, 50), make([]uint64, 64)
		positions := numbers[uint64](n, 50, rng.Key(n))
		want, got := make([]int64, n+1), make([]int64, n+1)
		gather(&indices[0], positions, &want[0])
		for name, f := range map[string]func(){
			"Gather": func() {
				narrow := make([]uint32, n+1)
				Gather(&indices[0], positions, &narrow[0])
				for i, v := range narrow {
					got[i] = int64(v)
				}
			},
			"GatherDense": func() { GatherDense(&indices[0], &ids[0], positions, &got[0]) },
			"GatherHash":  func() { GatherHash(&indices[0], &slots[0], positions, &got[0], 58) },
		} {
			clear(got)
			f()
			if !slices.Equal(got, want) {
				t.Fatalf("%s of %d: %v, want %v", name, n, got, want)
			}
		}
	}
}

func TestNumberEqualsTwin(t *testing.T) {
	for n := range 100 {
		v := numbers[int64](n, uint64(n/2+1), rng.Key(n))
		type state struct {
			ids, nodes []uint32
			local      []int64
			count      uint64
		}
		run := func(f func(*uint32, []int64, *uint32, uint64) uint64) state {
			s := state{ids: make([]uint32, n/2+1), nodes: make([]uint32, n+4), local: slices.Clone(v)}
			s.ids[0], s.nodes[0] = 1, 0 // vertex 0 has an id already
			s.count = f(&s.ids[0], s.local, &s.nodes[0], 1)
			return s
		}
		want, got := run(number), run(Number)
		if got.count != want.count || !slices.Equal(got.ids, want.ids) || !slices.Equal(got.local, want.local) ||
			!slices.Equal(got.nodes[:got.count], want.nodes[:want.count]) {
			t.Fatalf("Number of %v: %v, want %v", v, got, want)
		}
	}
}

// Prefetching unmapped memory does not fault.
func TestPrefetchesNeverFault(t *testing.T) {
	far := []uint64{0, 1 << 20, 1 << 60, ^uint64(0)}
	PrefetchRecords(nil, []uint32{0, 5, ^uint32(0)})
	PrefetchIndices(nil, far)
	PrefetchWords(nil, far)
	PrefetchSlots(nil, far)
	PrefetchRecords(nil, nil)
	PrefetchIndices(nil, nil)
}

func TestForgetEqualsTwin(t *testing.T) {
	for n := range 100 {
		nodes := numbers[uint32](n, 200, rng.Key(n))
		want, got := numbers[uint32](200, 1<<32, 3), numbers[uint32](200, 1<<32, 3)
		forget(&want[0], nodes)
		Forget(&got[0], nodes)
		if !slices.Equal(got, want) {
			t.Fatalf("Forget of %v: %v, want %v", nodes, got, want)
		}
	}
}
