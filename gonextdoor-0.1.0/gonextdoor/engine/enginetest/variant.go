package enginetest

import "fmt"

// Variant is one of the ways to request the same samples.
type Variant struct {
	Threads int
	Cuts    []int // where the rows are split into batches, in 60ths of all
	First   uint64
	Edges   bool
	Packed  bool
	Repeat  int
	Seed    uint64
	All     bool // whether the roots are every vertex in order, which are not stored
	Many    bool // whether one chunk of a thread has several groups of walkers, on some graphs
}

// String lists the settings of the variant.
func (v Variant) String() string {
	return fmt.Sprintf("threads %d, cut at %v/60, first %d, edges %v, packed %v, repeat %d, seed %d, all %v, many %v",
		v.Threads, v.Cuts, v.First, v.Edges, v.Packed, v.Repeat, v.Seed, v.All, v.Many)
}

var (
	threads = []int{1, 2, 3, 8}
	cuts    = [][]int{nil, {30}, {1, 19, 41}}
	firsts  = []uint64{0, 1, 1 << 40}
	repeats = []int{1, 3}
	seeds   = []uint64{0, 7, 1<<63 + 1}
)

// Variants combines each pair of threads and splits with some request, and each request with some pair. Unless the run is
// short, each request has three pairs.
func Variants(short bool) (variants []Variant) {
	turns := 3
	if short {
		turns = 1
	}
	ways, asked := ways(), asked()
	for turn := range turns {
		for i, a := range asked {
			way := ways[(i*5+turn*7)%len(ways)]
			a.Threads, a.Cuts = way.Threads, way.Cuts
			variants = append(variants, a)
		}
	}
	// Chunks are a quarter of a thread's rows, so that several groups of walkers in one chunk need many rows.
	return append(variants,
		Variant{Threads: 1, Edges: true, Packed: true, Repeat: 1, Many: true})
}

func ways() (v []Variant) {
	for _, c := range cuts {
		for _, n := range threads {
			v = append(v, Variant{Threads: n, Cuts: c})
		}
	}
	return v
}

func asked() (v []Variant) {
	for _, edges := range []bool{true, false} {
		for _, packed := range []bool{true, false} {
			for _, repeat := range repeats {
				for i, first := range firsts {
					a := Variant{First: first, Edges: edges, Packed: packed, Repeat: repeat, Seed: seeds[i]}
					a.All = (i+repeat)%2 == 0
					v = append(v, a)
				}
			}
		}
	}
	return v
}
