package gonextdoor_test

import (
	"testing"

	"gonextdoor/gonextdoor"
	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/apps"
	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/cuda/cudatest"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/graphtest"
	"gonextdoor/gonextdoor/graph/index"
)

// A plan for a GPU builds no alias tables in host memory, because the GPU builds them. A plan for the CPU does.
func TestNoHostAliasTablesForAGPU(t *testing.T) {
	cudatest.Driver(t)
	if err := cuda.Status(); err != nil {
		t.Skip(err)
	}
	g := graphtest.Star(20, true)
	defer g.Close()
	a := &apps.DeepWalk{Length: 2, Weighted: app.Yes}
	if err := gonextdoor.PrepareFor(1, g, a, graph.Options{}); err != nil {
		t.Fatal(err)
	}
	if _, err := gonextdoor.NewFor(1, g, a, 1); err != nil {
		t.Fatal(err)
	}
	if gonextdoor.DeviceFor(g, a, 1, 100, 10, 1) < -1 || gonextdoor.Refusal(g, a, 1) != nil || index.AliasOf(g) != nil {
		t.Error("an alias table was built in host memory")
	}
	if _, err := gonextdoor.NewFor(gonextdoor.OnCPU, g, a, 1); err != nil || index.AliasOf(g) == nil {
		t.Errorf("no alias table was built in host memory: %v", err)
	}
}
