package apps

import (
	"math"

	"gonextdoor/gonextdoor/app"
)

// Operations of breadth-first samples: per root, for the start of a sample, and per vertex that is drawn.
const (
	rootOperations = 40
	drawOperations = 4
)

// expectLevels returns the expected size of a breadth-first sample with distinct vertices. grow returns the number of
// vertices that a level adds, given the vertices of the level before and their edges. The sample ends when it has all
// vertices of the graph, and after depth levels unless depth is 0. If whole is true, all edges of a vertex are read.
func expectLevels(roots, depth int, on app.Size, whole bool, grow func(level, edges float64) float64) (e app.Expected) {
	level, degree, left := float64(roots), on.Degree(), float64(on.Vertices-roots)
	if on.Vertices == 0 {
		return app.PerVertex(math.Inf(1))
	}
	e.Operations = rootOperations * float64(roots)
	for step := 0; (depth == 0 || step < depth) && level >= 0.01; step++ {
		edges := min(level*degree, float64(on.Edges))
		level = min(grow(level, edges), left)
		if whole { // vertices are not drawn, and many edges lead to vertices of the sample
			e.Operations += level + edges
		} else {
			e.Operations += drawOperations * level
		}
		e.Vertices, left = e.Vertices+level, left-level
		degree = on.Neighbor()
	}
	return e
}
