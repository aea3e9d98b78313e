package gpu_test

import (
	"slices"
	"testing"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/apps"
	"gonextdoor/gonextdoor/engine/enginetest"
	"gonextdoor/gonextdoor/engine/gpu"
	"gonextdoor/gonextdoor/engine/gpu/resident"
	"gonextdoor/gonextdoor/graph/graphtest"
	"gonextdoor/gonextdoor/plan"
)

// layeredTunings are the tunings that matter to layered samples: each group of threads, workspaces and arenas that are too
// small at first, and many launches. On the emulated driver, breadth-first samples take milliseconds each, so no launch has
// all of thousands.
var layeredTunings = map[string]gpu.Tuning{
	"as planned":       {LaunchSteps: 1 << 17},
	"other groups":     {Variant: 1, LaunchSteps: 1 << 17, LayeredLanes: 4, LayeredSearch: 1},
	"tiny workspaces":  {LayeredCapacity: 1, LaunchSteps: 1 << 17, LayeredLanes: 1, LayeredSearch: 3},
	"tiny arenas":      {Variant: 1, LayeredArena: 1, LayeredLanes: -1, LaunchSteps: 1 << 16, LaunchRows: 30},
	"grids":            {Variant: 1, LayeredGrid: 5, LayeredCapacity: 5, LaunchSteps: 1 << 17},
	"small everything": {Variant: 99, LayeredSearch: 2, LayeredLanes: 8, LayeredCapacity: 5, LayeredArena: 90, LaunchSteps: 1, LaunchRows: 20},
}

// layered reports whether the GPU runs a case whose samples are layered.
func layered(c enginetest.Case) bool {
	p, err := plan.New(c.App, c.Graph, c.Width)
	return err == nil && p.Layered && runs(c)
}

// TestLayeredConformance compares layered samples with their definitions.
func TestLayeredConformance(t *testing.T) {
	d := device(t)
	share := deviceShare(t, 2999) // launches of blocks that share memory are slow on the emulated driver
	wanted := someImportanceLayers()
	conform(t, d, layeredTunings, wanted, share)
}

// TestTablesOfAppsStayInGPUMemory checks that the second call of an app uploads no table, and samples the same.
func TestTablesOfAppsStayInGPUMemory(t *testing.T) {
	d := device(t)
	const rows, ids = 152, 60 // bytes of the graph without tables
	scores, err := app.NewScores([]float64{1, 2, 3, 4, 5, 6})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		app   app.App
		bytes int64 // of the graph with the table
	}{
		{&apps.ClusterGCN{Clusters: &app.Clusters{Count: 6}, PerSample: 2}, rows + ids + 4*(6+6)},
		{&apps.GraphSAINT{Method: app.NodeMethod, Budget: 9}, rows + ids + 8*7},
		{&apps.MVS{Batch: 3, Fanouts: []int{2}, Scores: scores}, rows + (16+4)*6},
	} {
		g := graphtest.Thicket(false)
		p, err := plan.New(c.app, g, 0)
		if err != nil {
			t.Fatal(err)
		}
		e, b := gpu.Engine{Device: d}, plan.Batch{Roots: plan.Roots{Count: 5, Repeat: 1}}
		graphBytes := int64(0)
		var first, second []uint32
		for _, to := range []*[]uint32{&first, &second} {
			out, err := e.Layers(p, p.Graph, b, nil)
			if err != nil {
				t.Fatal(err)
			}
			*to = slices.Clone(out.Vertices)
			out.Return()
			if bytes := resident.Bytes(g)[d.ID]; graphBytes == 0 {
				graphBytes = bytes
			} else if bytes != graphBytes {
				t.Errorf("%v: %d bytes after the second call, %d after the first", c.app, bytes, graphBytes)
			}
		}
		if graphBytes != c.bytes {
			t.Errorf("%v: %d bytes, expected %d", c.app, graphBytes, c.bytes)
		}
		if !slices.Equal(first, second) {
			t.Errorf("%v: %v, and then %v", c.app, first, second)
		}
		g.Close()
		if len(resident.Bytes(g)) != 0 {
			t.Errorf("%v bytes are left", resident.Bytes(g))
		}
	}
}
