package cpu

import (
	"testing"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/graphtest"
	"gonextdoor/gonextdoor/offheap"
	"gonextdoor/gonextdoor/rng"
)

// corpus has every shape that a sampler may stumble over: sinks, loops, multi-edges, hubs, one vertex, zero biases.
func corpus(weighted bool) map[string]*graph.Graph {
	return map[string]*graph.Graph{
		"thicket": graphtest.Thicket(weighted),
		"diamond": graphtest.Diamond(weighted),
		"oneWay":  graphtest.OneWay(weighted),
		"star":    graphtest.Star(40, weighted),
		"fan":     graphtest.Fan(300, weighted),
		"lonely":  graphtest.Lonely(weighted),
		"circle":  graphtest.Circle(weighted),
		"random":  random(700, 9000, weighted),
		"hub":     hub(100_000, weighted),
	}
}

// random has loops, multi-edges, sinks, and degrees from 0 to some hundreds.
func random(n, edges int, weighted bool) *graph.Graph {
	list := make([]graphtest.Edge, edges)
	for i := range list {
		key := rng.NewStream(9, rng.Edges).Key(uint64(i))
		below := func(slot uint64, n int) uint64 { r, _ := rng.Below(key.Word(slot), uint64(n)); return r }
		to := below(1, n)
		list[i] = graphtest.Edge{From: uint32(to * below(0, n) / uint64(n)), To: uint32(to), Bias: uint32(below(2, 5) << below(3, 30))}
	}
	return graphtest.Make(n, weighted, list)
}

// hub is one vertex with many edges, of which every hundredth end leads back.
func hub(edges int, weighted bool) *graph.Graph {
	var list []graphtest.Edge
	for i := range uint32(edges) {
		list = append(list, graphtest.Edge{From: 0, To: i + 1, Bias: i % 7})
		if i%100 == 0 {
			list = append(list, graphtest.Edge{From: i + 1, To: 0, Bias: 1})
		}
	}
	return graphtest.Make(edges+1, weighted, list)
}

// noLeak fails the test if memory taken during it is not given back by its end.
func noLeak(t *testing.T) {
	t.Helper()
	live, out := offheap.Live(), offheap.Results.Out()
	keep := offheap.Results.Keep
	offheap.Results.Keep = 0 // so that what is returned is freed, and not counted as live
	t.Cleanup(func() {
		offheap.Results.Keep = keep
		if n := offheap.Results.Out(); n != out {
			t.Errorf("%d results are lent, %d were before", n, out)
		}
		if n := offheap.Live(); n > live {
			t.Errorf("%d arrays live, %d did before", n, live)
		}
	})
}
