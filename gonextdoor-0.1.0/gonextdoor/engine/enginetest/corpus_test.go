package enginetest

import (
	"fmt"
	"slices"
	"testing"

	"gonextdoor/gonextdoor/apps"
)

// Even short runs have every pair of threads and splits, and every pair of values of two axes.
func TestVariantsCoverTheAxes(t *testing.T) {
	all := Variants(true)
	ways, pairs := map[string]bool{}, map[string]bool{}
	for _, v := range all {
		ways[fmt.Sprint(v.Threads, v.Cuts)] = true
		pairs[fmt.Sprint(v.First, v.Edges, v.Packed, v.Repeat)] = true
	}
	if want := len(threads) * len(cuts); len(ways) != want {
		t.Errorf("%d ways, expected %d", len(ways), want)
	}
	if want := len(firsts) * 2 * 2 * len(repeats); len(pairs) != want {
		t.Errorf("%d questions, expected %d", len(pairs), want)
	}
	for _, n := range threads {
		if !slices.ContainsFunc(all, func(v Variant) bool { return v.Threads == n && v.All }) {
			t.Errorf("no variant with %d threads whose roots are all vertices", n)
		}
	}
}

func TestEveryAppIsInTheCorpus(t *testing.T) {
	for name := range apps.Specs {
		if !slices.ContainsFunc(corpus(), func(e entry) bool { return e.app.Name() == name }) {
			t.Errorf("%s is not in the corpus", name)
		}
	}
}
