package file_test

import (
	"slices"
	"testing"

	"gonextdoor/gonextdoor/file"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/build"
)

func TestGeneratingIntoAFolderGivesTheSameGraph(t *testing.T) {
	r := build.RMAT{Scale: 8, EdgeFactor: 8, A: 0.57, B: 0.19, C: 0.19, Low: 1, High: 2, Symmetric: true, Seed: 4}
	complete, err := file.Generate(r, "")
	if err != nil {
		t.Fatal(err)
	}
	defer complete.Close()
	mapped, err := file.Generate(r, t.TempDir()+"/g")
	if err != nil {
		t.Fatal(err)
	}
	defer mapped.Close()
	if !slices.Equal(complete.Indptr, mapped.Indptr) || !slices.Equal(complete.Indices, mapped.Indices) || !slices.Equal(complete.Biases, mapped.Biases) {
		t.Error("the graphs differ")
	}
	weights := make([]float64, mapped.NumEdges())
	if err := graph.EdgeWeights(mapped, weights); err != nil || slices.Min(weights) < 1 || slices.Max(weights) > 2 {
		t.Errorf("weights from %v to %v, %v", slices.Min(weights), slices.Max(weights), err)
	}
}
