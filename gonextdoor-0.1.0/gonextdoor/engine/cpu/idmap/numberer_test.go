package idmap

import (
	"fmt"
	"slices"
	"testing"

	"gonextdoor/gonextdoor/offheap"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/gonextdoor/rng"
)

const testVertices = 5000

// newMaps returns an empty map of each kind.
func newMaps(t testing.TB) map[string]Numberer {
	t.Helper()
	dense, err := NewDense(testVertices)
	if err != nil {
		t.Fatal(err)
	}
	disjoint, err := NewDisjoint()
	if err != nil {
		t.Fatal(err)
	}
	return map[string]Numberer{"dense": dense, "hash": NewHash(), "disjoint": disjoint}
}

// edges returns the positions of n edges, with the end point and the tree of each. Small vertices are frequent.
func edges(n int, seed uint64) (positions []uint64, ends, trees []uint32) {
	for i := range uint64(n) {
		key := rng.Key(seed)
		below, _ := rng.Below(key.Word(3*i), testVertices)
		v, _ := rng.Below(key.Word(3*i+1), below+1)
		tree, _ := rng.Below(key.Word(3*i+2), 3)
		positions, ends, trees = append(positions, uint64(n)-1-i), append(ends, uint32(v)), append(trees, uint32(tree))
	}
	slices.Reverse(ends)
	return positions, ends, trees
}

// Every map returns the ids of a Go map, over batches that grow its table, after a larger batch and after a smaller one.
func TestMapsNumberInOrderOfDiscovery(t *testing.T) {
	live := offheap.Live()
	for name, m := range newMaps(t) {
		n := new(Nodes)
		for batch, size := range []int{0, 10, 40_000, 3, 5000} {
			t.Run(fmt.Sprintf("%s/%d", name, size), func(t *testing.T) {
				checkBatch(t, m, n, name == "disjoint", size, uint64(batch))
			})
			m.Reset(n)
			n.Vertices, n.Trees = n.Vertices[:0], n.Trees[:0]
		}
		m.Free()
	}
	if n := offheap.Live(); n != live {
		t.Errorf("%d arrays are live, %d were before", n, live)
	}
}

func checkBatch(t *testing.T, m Numberer, n *Nodes, disjoint bool, size int, seed uint64) {
	positions, ends, trees := edges(size, seed)
	ids := map[uint64]int64{}
	var want Nodes
	ends = append(ends, 0) // &ends[0] must exist
	for first := 0; first < size; first += plan.Lag {
		end := min(first+plan.Lag, size)
		v := make([]int64, end-first)
		m.Gather(&ends[0], positions[first:end], v, trees[first:end])
		m.Prefetch(v, trees[first:end])
		if err := m.Number(v, trees[first:end], n); err != nil {
			t.Fatal(err)
		}
		for i, got := range v {
			tree, vertex := trees[first+i], ends[positions[first+i]]
			key := uint64(vertex)
			if disjoint {
				key |= uint64(tree) << 32
			}
			if _, known := ids[key]; !known {
				ids[key] = int64(len(ids))
				want.Vertices, want.Trees = append(want.Vertices, vertex), append(want.Trees, tree)
			}
			if got != ids[key] {
				t.Fatalf("edge %d has id %d, expected %d", first+i, got, ids[key])
			}
		}
	}
	if !disjoint {
		want.Trees = nil
	}
	if !slices.Equal(n.Vertices, want.Vertices) || !slices.Equal(n.Trees, want.Trees) {
		t.Errorf("%d nodes, expected %d, or in another order", len(n.Vertices), len(want.Vertices))
	}
}

// A batch number that overflows does not revive entries of an earlier batch.
func TestDisjointBatchNumberOverflows(t *testing.T) {
	d, err := NewDisjoint()
	if err != nil {
		t.Fatal(err)
	}
	defer d.Free()
	n := new(Nodes)
	if err := d.Number([]int64{7}, []uint32{1}, n); err != nil {
		t.Fatal(err)
	}
	d.batch = ^uint32(0)
	d.Reset(n)
	*n = Nodes{}
	v := []int64{9, 7}
	if err := d.Number(v, []uint32{1, 1}, n); err != nil {
		t.Fatal(err)
	}
	if v[0] != 0 || v[1] != 1 || len(n.Vertices) != 2 {
		t.Errorf("ids %v of %d nodes, expected [0 1] of 2", v, len(n.Vertices))
	}
}

func BenchmarkNumber(b *testing.B) {
	positions, ends, trees := edges(1<<16, 1)
	v := make([]int64, plan.Lag)
	for name, m := range newMaps(b) {
		b.Run(name, func(b *testing.B) {
			n := new(Nodes)
			for b.Loop() {
				for first := 0; first < len(positions); first += plan.Lag {
					m.Gather(&ends[0], positions[first:first+plan.Lag], v, trees[first:first+plan.Lag])
					if err := m.Number(v, trees[first:first+plan.Lag], n); err != nil {
						b.Fatal(err)
					}
				}
				m.Reset(n)
				n.Vertices, n.Trees = n.Vertices[:0], n.Trees[:0]
			}
		})
		m.Free()
	}
}
