package apps_test

import (
	"testing"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/apps"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/graphtest"
	"gonextdoor/gonextdoor/rng"
	"gonextdoor/gonextdoor/selector"
)

// MetaPath adds up blocks of a row. Its choices are those of selector.Scan over the biases of the row.
func TestMetaPathChoosesByScan(t *testing.T) {
	for _, degree := range []uint32{1, 31, 32, 33, 100} {
		words, edges := rng.NewStream(1, rng.Choices).Key(uint64(degree)), []graphtest.Edge{}
		for i := range degree {
			edges = append(edges, graphtest.Edge{From: 0, To: i, Bias: uint32(words.Word(uint64(i)))})
		}
		g := graphtest.Make(int(degree), true, edges)
		g.Labels = make([]int32, degree)
		for i := range g.Labels {
			g.Labels[i] = int32(words.Word(uint64(i))>>40%3) - 1
		}
		for _, weighted := range []app.Weighted{app.No, app.Computed} {
			for sample := range uint64(300) {
				key, label := rng.NewStream(2, rng.Choices).Key(sample), int32(sample%4)-1 // no edge has label 2
				want := selector.Scan(key.Word(rng.Slot(0, 0)), int(degree), func(i int) uint64 {
					switch {
					case g.Labels[i] != label:
						return 0
					case weighted == app.Computed:
						return uint64(g.Biases[i])
					}
					return 1
				})
				a := apps.MetaPath{Labels: []int32{label}, Length: 1, Weighted: weighted}
				got := a.Sample(g, key, []uint32{0}, app.Row{}).Vertices[1]
				if want < 0 && got != graph.None || want >= 0 && got != g.Indices[want] {
					t.Fatalf("degree %d, label %d, weighted %v: vertex %d, Scan takes edge %d", degree, label, weighted, got, want)
				}
			}
		}
	}
}
