package gpu_test

import (
	"fmt"
	"reflect"
	"testing"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/apps"
	"gonextdoor/gonextdoor/cuda/cudatest"
	"gonextdoor/gonextdoor/engine"
	"gonextdoor/gonextdoor/engine/cpu"
	"gonextdoor/gonextdoor/engine/enginetest"
	"gonextdoor/gonextdoor/engine/gpu"
	"gonextdoor/gonextdoor/engine/gpu/resident"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/graphtest"
	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/plan"
)

// tangled returns a graph with a hub, parallel edges, loops that occur several times, and vertices without edges.
func tangled() *graph.Graph {
	const linked, all = 250, 300
	list := []graphtest.Edge{{From: 3, To: 3}, {From: 3, To: 3}, {From: 3, To: 3}, {From: 5, To: 5}}
	for range 9 {
		list = append(list, graphtest.Edge{From: 1, To: 2}, graphtest.Edge{From: 2, To: 1}, graphtest.Edge{From: 3, To: 1})
	}
	for v := range uint32(linked) {
		list = append(list, graphtest.Edge{From: v, To: v*7%linked + 1}, graphtest.Edge{From: v, To: (v + 3) % linked})
		if v%2 > 0 {
			list = append(list, graphtest.Edge{From: 0, To: v}, graphtest.Edge{From: v, To: 0})
		}
	}
	return graphtest.Make(all, false, list)
}

// layersOf returns the layered samples of an engine, from roots that occur several times, from the hub only, and from
// vertices without edges only.
func layersOf(t *testing.T, e engine.Engine, a app.App, g *graph.Graph) any {
	t.Helper()
	p, err := plan.New(a, g, 4)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.BuildTables(p.Graph, graph.Options{}); err != nil {
		t.Fatal(err)
	}
	roots := []uint32{3, 3, 1, 299, 0, 0, 0, 0, 260, 270, 280, 290, 1, 2, 3, 5, 17, 99, 248, 249}
	l, err := e.Layers(p, p.Graph, plan.Batch{
		Roots: plan.Roots{Vertices: roots, Count: len(roots) / 4, Width: 4, Repeat: 1}, Seed: 5, First: 1 << 33, Threads: 1, Edges: true,
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Return()
	return []any{
		append([]uint32{}, l.Vertices...), append([]int64{}, l.Offsets...), append([]int32{}, l.Parents...),
		append([]int32{}, l.Ends...), append([]int32{}, l.Sources...), append([]int32{}, l.Targets...),
		append([]int64{}, l.LinkEdges...), append([]float64{}, l.Values...), append([]int64{}, l.LinksFrom...),
	}
}

// importanceApps returns LADIES and FastGCN with all options, and layers that are larger than the number of candidates, that
// repeat vertices often, or that nearly all vertices are in.
func importanceApps() (all []app.App) {
	for _, norm := range []index.Normalization{index.SymmetricNorm, index.RowNorm} {
		for _, replace := range []bool{false, true} {
			for _, sizes := range [][]int{{9, 30}, {280, 140}, {700, 3, 5}} {
				all = append(all,
					&apps.FastGCN{Sizes: sizes, Replace: replace, Normalization: norm},
					&apps.LADIES{Sizes: sizes, Replace: replace, Normalization: norm, Normalize: sizes[0] == 280},
				)
			}
		}
	}
	return append(all, &apps.LADIES{}, &apps.FastGCN{})
}

// someImportanceLayers returns the cases of layered samples. Of those whose layers are drawn by importance it has one in 13 on
// the emulated driver, which takes 9 s for each.
func someImportanceLayers() func(c enginetest.Case) bool {
	n := 0
	return func(c enginetest.Case) bool {
		if _, ok := c.App.(app.ImportanceLayered); ok && !cudatest.Real() {
			if n++; n%13 != 0 {
				return false
			}
		}
		return layered(c)
	}
}

// Blocks, warps and all blocks together make the samples, in workspaces and arenas that suffice, or are too small at first. A short
// run on the emulated driver has one of 33 pairs of an app and a tuning.
func TestImportanceLayers(t *testing.T) {
	d := device(t)
	g, share := tangled(), deviceShare(t, 4)
	defer g.Close()
	for _, a := range importanceApps() {
		for _, tuning := range []gpu.Tuning{{}, {Variant: 1, LayeredCapacity: 70}, {Variant: 99, LayeredCapacity: 1, LayeredArena: 90}, {LayeredGrid: 3, LayeredArena: 90}} {
			if !share.Takes() {
				continue
			}
			t.Run(fmt.Sprintf("%s %+v, variant %d, grid of %d", a.Name(), a, tuning.Variant, tuning.LayeredGrid), func(t *testing.T) {
				want, got := layersOf(t, cpu.Engine{}, a, g), layersOf(t, gpu.Engine{Device: d, Tuning: tuning}, a, g)
				if !reflect.DeepEqual(got, want) {
					t.Errorf("%.2000v\nexpected\n%.2000v", got, want)
				}
			})
		}
	}
}

// The importances of FastGCN are uploaded once: an alias table and biases, 20 bytes per vertex.
func TestImportancesStayInGPUMemory(t *testing.T) {
	d := device(t)
	g := tangled()
	defer g.Close()
	var bytes []int64
	for _, a := range []app.App{&apps.LADIES{Sizes: []int{2}}, &apps.FastGCN{Sizes: []int{3}}, &apps.FastGCN{Sizes: []int{4}}} {
		layersOf(t, gpu.Engine{Device: d}, a, g)
		bytes = append(bytes, resident.Bytes(g)[d.ID])
	}
	if want := bytes[0] + 20*int64(g.NumVertices()); bytes[1] != want || bytes[2] != want {
		t.Errorf("%d bytes of a graph, expected %d", bytes, want)
	}
}
