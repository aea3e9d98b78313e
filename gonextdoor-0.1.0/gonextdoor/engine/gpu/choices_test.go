package gpu_test

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"unsafe"

	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/engine/enginetest"
	"gonextdoor/gonextdoor/engine/gpu/gputest"
	"gonextdoor/gonextdoor/engine/gpu/resident"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/graphtest"
	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/rng"
	"gonextdoor/gonextdoor/selector"
	"gonextdoor/kernels"
	"gonextdoor/kernels/testkernels"
)

// choice is a choice among edges or numbers, and the picks of package selector.
type choice struct {
	key    rng.Key
	vertex uint32 // whose row is chosen from, or the number of candidates
	k      uint32 // number of picks
	picks  []uint64
}

// The selectors of the test kernels: Selector of kernels/testkernels/choices.cuh.
const (
	byPermute = iota
	byShortPermute
	byUniform
	bySuccessive
	byAlias
)

// groups are the kernels, by the number of threads that make a choice together.
var groups = []struct {
	kernel string
	lanes  int
}{{"choices_1", 1}, {"choices_8", 8}, {"choices_32", 32}, {"choices_block", 128}}

// TestChoicesByNumber has groups of every size choose uniformly among n candidates: few of many, almost all, all. On the
// emulated driver a short run has one pair of a selector and a group in 3.
func TestChoicesByNumber(t *testing.T) {
	d := device(t)
	share := deviceShare(t, 3)
	var choices []choice
	add := func(k, n, id uint64) {
		choices = append(choices, choice{key: rng.NewStream(n, rng.Choices).Key(k<<32 | id), vertex: uint32(n), k: uint32(k)})
	}
	for n := range uint64(70) {
		for k := range min(n, 20) + 3 {
			add(k, n, 0)
			add(k, n, 1)
		}
	}
	for id := range uint64(300) {
		key := rng.NewStream(5, rng.Choices).Key(id)
		k, _ := rng.Below(key.Word(0), 100)
		more, _ := rng.Below(key.Word(1), 1<<(id%30))
		add(k, k+more, id)
		add(k%17, k%17+more, id)
	}
	add(700, 701, 0)
	add(1000, 5000, 0)
	add(15, math.MaxUint32, 0)
	for by := byPermute; by <= byUniform; by++ {
		for i := range choices {
			c := &choices[i]
			c.picks = nil
			if by != byUniform {
				c.picks = selector.Permute(c.key, uint64(c.k), uint64(c.vertex), nil)
				continue
			}
			for j := range uint64(c.k) {
				if i := selector.Uniform(c.key.Word(j), uint64(c.vertex)); i >= 0 {
					c.picks = append(c.picks, uint64(i))
				}
			}
		}
		checkChoices(t, d, share, kernels.Graph{}, by, choices)
	}
}

// rows returns a graph with awkward rows: lengths next to every threshold of the selectors; weights that are equal, steep,
// or 0 for many, one or all edges; and one edge that outweighs all others.
func rows() *graph.Graph {
	var edges []graphtest.Edge
	one := func(yes bool, of uint32) uint32 {
		if yes {
			return of
		}
		return 0
	}
	weights := []func(i, n int) uint32{
		func(i, _ int) uint32 { return 1 },
		func(i, _ int) uint32 { return 1 << (i % 30) },
		func(i, _ int) uint32 { return one(i%3 == 1, 1) },
		func(i, n int) uint32 { return 1 + one(i == n/2, 1<<31) },
		func(i, n int) uint32 { return one(i >= n-2, 1) },
		func(int, int) uint32 { return 0 },
	}
	v := uint32(0)
	for _, n := range []int{0, 1, 2, 3, 5, 7, 8, 9, 16, 31, 32, 33, 64, 127, 130, 600, 2000} {
		for _, w := range weights {
			for i := range n {
				edges = append(edges, graphtest.Edge{From: v, To: uint32(3 * i), Bias: w(i, n)})
			}
			v++
		}
	}
	return graphtest.Make(6001, true, edges)
}

// TestChoicesByWeight chooses edges of awkward rows, by groups of every size.
func TestChoicesByWeight(t *testing.T) {
	d, g, share := device(t), rows(), deviceShare(t, 3)
	defer g.Close()
	var choices []choice
	for v := uint32(0); int(v) < g.NumVertices() && v < 120; v++ {
		for _, k := range []uint32{0, 1, 2, 3, 5, 8, 15, 33, 70} {
			choices = append(choices, choice{key: rng.NewStream(7, rng.Choices).Key(uint64(k)<<32 | uint64(v)), vertex: v, k: k})
		}
	}
	if err := index.BuildAlias(g, graph.Options{}); err != nil {
		t.Fatal(err)
	}
	err := d.Do(func() error {
		s, err := d.NewStream()
		if err != nil {
			return err
		}
		at, release, err := resident.Of(g, d).Hold(resident.Alias|resident.Biases, s, graph.Options{})
		if err != nil {
			return err
		}
		defer release()
		for by := bySuccessive; by <= byAlias; by++ {
			for i := range choices {
				c := &choices[i]
				first, row := g.Indptr[c.vertex], index.AliasRow(g, c.vertex)
				c.picks = nil
				if by == bySuccessive {
					c.picks = selector.Successive(c.key, uint64(c.k), row, g.Biases[first:g.Indptr[c.vertex+1]], nil)
				}
				for j := uint64(0); by == byAlias && j < uint64(c.k); j++ {
					if i := selector.Alias(c.key.Word(j), row); i >= 0 {
						c.picks = append(c.picks, uint64(i))
					}
				}
			}
			checkChoices(t, d, share, at, by, choices)
		}
		return s.Destroy()
	})
	if err != nil {
		t.Fatal(err)
	}
}

// checkChoices compares choices of the device with those of package selector, for each size of a group that is in the
// share.
func checkChoices(t *testing.T, d *cuda.Device, share *enginetest.Share, g kernels.Graph, by int, choices []choice) {
	t.Helper()
	for _, group := range groups {
		if !share.Takes() {
			continue
		}
		t.Run(fmt.Sprintf("selector %d by %s", by, group.kernel), func(t *testing.T) {
			picks := made(t, d, g, by, choices, group.kernel)
			for i, c := range choices {
				picks64 := make([]uint64, len(picks[i]))
				for j, p := range picks[i] {
					picks64[j] = uint64(p)
				}
				if !slices.Equal(picks64, c.picks) {
					t.Fatalf("%d of vertex or %d candidates: picks %v, want %v", c.k, c.vertex, picks64, c.picks)
				}
			}
		})
	}
}

// made runs a test kernel and returns its picks.
func made(t *testing.T, d *cuda.Device, g kernels.Graph, by int, choices []choice, kernel string) (picks [][]uint32) {
	t.Helper()
	capacity := 1
	var keys []uint64
	var vertices, takes []uint32
	for _, c := range choices {
		capacity = max(capacity, len(c.picks)+1)
		keys, vertices, takes = append(keys, uint64(c.key)), append(vertices, c.vertex), append(takes, c.k)
	}
	n := len(choices)
	words := make([]uint32, n*(capacity+1)) // got, picks
	err := d.Do(func() error {
		m, s, err := gputest.Load(d, "choices")
		if err != nil {
			return err
		}
		f, err := m.Function(kernel)
		if err != nil {
			return err
		}
		bytes := int64(8*n+4*n+4*n) + int64(4*len(words))
		memory, err := d.Alloc(bytes, s)
		if err != nil {
			return err
		}
		if err := d.Fill32(memory.Address, 0xabababab, bytes/4, s); err != nil {
			return err
		}
		at := uint64(memory.Address)
		a := testkernels.Choices{G: g, Keys: at, Vertices: at + uint64(8*n), Takes: at + uint64(12*n), Got: at + uint64(16*n), Count: uint64(n), Capacity: uint64(capacity), Selector: uint64(by)}
		a.Picks = a.Got + uint64(4*n)
		for _, c := range []struct {
			to    uint64
			from  unsafe.Pointer
			bytes int
		}{{a.Keys, unsafe.Pointer(&keys[0]), 8 * n}, {a.Vertices, unsafe.Pointer(&vertices[0]), 4 * n}, {a.Takes, unsafe.Pointer(&takes[0]), 4 * n}} {
			if err := d.CopyIn(uintptr(c.to), c.from, int64(c.bytes), s); err != nil {
				return err
			}
		}
		if err := f.Launch(cuda.Grid{Blocks: 6, Threads: gputest.Threads}, s, unsafe.Pointer(&a), unsafe.Sizeof(a)); err != nil {
			return err
		}
		if err := d.CopyOut(unsafe.Pointer(&words[0]), uintptr(a.Got), int64(4*len(words)), s); err != nil {
			return err
		}
		if err := s.Synchronize(); err != nil {
			return err
		}
		if err := d.Free(memory, s); err != nil {
			return err
		}
		return s.Destroy()
	})
	if err != nil {
		t.Fatal(err)
	}
	for i := range n {
		got := int(words[i])
		if got > capacity {
			t.Fatalf("choice %d has %d picks", i, got)
		}
		picks = append(picks, words[n+i*capacity:][:got])
	}
	return picks
}
