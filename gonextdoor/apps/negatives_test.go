package apps

import (
	"testing"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/graph/graphtest"
)

// Sums over all rows take longer than 10^7 samples on a GPU, so estimates must not build them.
func TestDraftsOfNegativesBuildNoSums(t *testing.T) {
	g := graphtest.Thicket(false)
	defer g.Close()
	weights := make([]float64, g.NumVertices())
	for v := range weights {
		weights[v] = float64(1 + v)
	}
	scores, err := app.NewScores(weights)
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range []app.App{&Negatives{Weights: scores}, &NegativePairs{Weights: scores, SourceWeights: scores}} {
		for built, bind := range map[bool]func() (app.App, error){
			false: func() (app.App, error) { return app.Draft(a, g) }, true: func() (app.App, error) { return a.Bind(g) },
		} {
			bound, err := bind()
			if err != nil {
				t.Fatal(err)
			}
			if d := bound.(app.NegativeDrawer).NegativeDraws(); (d.Sums != nil) != built || (d.RowSums != nil) != (built && d.Pairs) {
				t.Errorf("%s, sums expected: %v: found %d and %d", a.Name(), built, len(d.Sums), len(d.RowSums))
			}
		}
	}
}
