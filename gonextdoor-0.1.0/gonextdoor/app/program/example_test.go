package program_test

import (
	"fmt"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/app/program"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/graphtest"
	"gonextdoor/gonextdoor/rng"
)

// A walk that returns to the previous vertex only from a dead end, and prefers vertices of high degree. It has a second-order
// bias, as node2vec has, with a bound, so that most choices cost one or two proposals instead of reading the whole row.
func ExampleCustom() {
	forward := &program.Custom{StepProgram: program.StepProgram{
		Steps: 4,
		EdgeBias: func(c *program.Ctx, edge uint64, dst uint32) uint64 {
			if dst == c.Prev {
				return 1
			}
			return 1000 * min(c.Graph.Degree(dst), 8)
		},
		Bound: func(*program.Ctx) uint64 { return 8000 },
	}}
	g := graphtest.Diamond(false)
	bound, err := forward.Bind(g)
	if err != nil {
		fmt.Println(err)
		return
	}
	stream := rng.NewStream(42, rng.Choices) // seed 42
	for id := range uint64(3) {
		row := bound.Sample(g, stream.Key(id), []uint32{0}, app.Row{ID: id})
		fmt.Println(row.Vertices)
	}
	fmt.Println(forward.Selector())
	// Output:
	// [0 1 3 2 1]
	// [0 1 2 3 1]
	// [0 1 3 2 2]
	// Reject(4+d/16), Reservoir
}

// A forest fire: every vertex burns up to two neighbours that are not in the sample yet, and a vertex
// above 2 burns none. The edges between all vertices of the sample are recorded.
func ExampleCustom_layered() {
	fire := &program.Custom{StepProgram: program.StepProgram{
		Unique: program.PerSample, Weighted: app.No, Record: program.Induced,
		Fanout: func(c *program.Ctx) int { return int(c.Below(0, 3)) },
		Update: func(_ *program.Ctx, _ uint64, dst uint32) uint32 {
			if dst > 2 {
				return graph.None // dst is in the sample, and nothing grows from it
			}
			return dst
		},
	}}
	g := graphtest.Diamond(false)
	bound, err := fire.Bind(g)
	if err != nil {
		fmt.Println(err)
		return
	}
	row := bound.Sample(g, rng.NewStream(7, rng.Choices).Key(1), []uint32{1}, app.Row{ID: 1})
	fmt.Println("vertices", row.Vertices, "steps end at", row.Ends, "reached from", row.Parents)
	fmt.Println(len(row.Links), "edges between them")
	// Output:
	// vertices [1 0 2 3] steps end at [1 2 3 4] reached from [0 1 2]
	// 13 edges between them
}
