package mutant

import (
	"slices"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/app/apptest"
	"gonextdoor/gonextdoor/apps"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/rng"
	"gonextdoor/gonextdoor/selector"
)

// accepts reports whether a word accepts the step of a Metropolis-Hastings walk between vertices of these degrees.
type accepts func(word, here, there uint64) bool

func byRatio(word, here, there uint64) bool { r, _ := rng.Below(word, there); return r < here }

// metropolisBy returns MetropolisHastings with another rule of acceptance.
func metropolisBy(rule accepts) func(app.App) apptest.Sampler {
	return func(a app.App) apptest.Sampler {
		m, ok := a.(*apps.MetropolisHastings)
		if !ok {
			return nil
		}
		return func(g *graph.Graph, key rng.Key, roots []uint32, out app.Row) app.Row {
			u := roots[0]
			out.Vertices = append(out.Vertices, u)
			for s := range uint64(m.Length) {
				v, e := stepBy(right, g, u, key.Word(rng.Slot(s, 0)), app.No)
				if v != graph.None && !rule(key.Word(rng.Slot(s, 192)), g.Degree(u), g.Degree(v)) {
					v, e = u, graph.NoEdge
				}
				out = out.Add(v, e)
				u = v
			}
			return out
		}
	}
}

// teleportFault selects a fault of walks with jumps; the zero value has none.
type teleportFault struct {
	stuck  bool // the walk ends at a sink
	never  bool // it jumps with the probability of a step
	first  bool // if weighted, the jump uses the fraction that the alias decision used
	nearby bool // it jumps to the current vertex
}

func teleportBy(f teleportFault) func(app.App) apptest.Sampler {
	return func(a app.App) apptest.Sampler {
		var teleport apps.Teleport
		jumps := false
		switch a := a.(type) {
		case *apps.Jump:
			teleport, jumps = a.Teleport, true
		case *apps.Restart:
			teleport = a.Teleport
		default:
			return nil
		}
		return func(g *graph.Graph, key rng.Key, roots []uint32, out app.Row) app.Row {
			u := roots[0]
			out.Vertices = append(out.Vertices, u)
			for s := range uint64(teleport.Length) {
				word := key.Word(rng.Slot(s, 0))
				_, fraction := rng.Below(word, degreeOf(g, u))
				if teleport.Weighted == app.Yes && !f.first {
					fraction = rng.Second(word)
				}
				v, e := stepBy(right, g, u, word, teleport.Weighted)
				if v == graph.None && !f.stuck || v != graph.None && (uint64(fraction) < teleport.Threshold()) != f.never {
					v, e = roots[0], graph.NoEdge
					if jumps {
						v = app.JumpTo(g.NumVertices(), key, s)
					}
					if f.nearby {
						v = u
					}
				}
				out = out.Add(v, e)
				u = v
			}
			return out
		}
	}
}

func degreeOf(g *graph.Graph, u uint32) uint64 {
	if u == graph.None {
		return 0
	}
	return g.Degree(u)
}

// poolFault selects a fault of frontier sampling; the zero value has none.
type poolFault struct {
	alike bool // the vertices of the pool are drawn uniformly
	keeps bool // the vertex that is drawn stays in the pool
	last  bool // the new vertex takes the last place of the pool
}

func poolBy(f poolFault) func(app.App) apptest.Sampler {
	return func(a app.App) apptest.Sampler {
		m, ok := a.(*apps.MultiDimensionalWalk)
		if !ok {
			return nil
		}
		return func(g *graph.Graph, key rng.Key, roots []uint32, out app.Row) app.Row {
			pool := slices.Clone(roots)
			out.Vertices = append(out.Vertices, roots...)
			for s := range uint64(m.Length) {
				at := selector.Scan(key.Word(rng.Slot(s, 224)), len(pool), func(i int) uint64 {
					if f.alike {
						return 1
					}
					return g.Degree(pool[i])
				})
				if at < 0 {
					out = out.Add(graph.None, graph.NoEdge)
					continue
				}
				v, e := stepBy(right, g, pool[at], key.Word(rng.Slot(s, 0)), app.No)
				out = out.Add(v, e)
				if f.last {
					at = int64(len(pool)) - 1
				}
				if v != graph.None && !f.keeps {
					pool[at] = v
				}
			}
			return out
		}
	}
}

// moveMutants has the faults of the walks of C-SAW.
var moveMutants = []mutant{
	{"MetropolisHastings: every proposal accepted", likely, metropolisBy(func(_, _, _ uint64) bool { return true })},
	{"MetropolisHastings: acceptance ratio inverted", likely, metropolisBy(func(word, here, there uint64) bool { return byRatio(word, there, here) })},
	{"MetropolisHastings: acceptance ratio in integer division", likely, metropolisBy(func(_, here, there uint64) bool { return here/max(1, there) > 0 })},
	{"Jump, Restart: walk ends at a sink", likely, teleportBy(teleportFault{stuck: true})},
	{"Jump, Restart: probabilities of a teleport and of a step exchanged", likely, teleportBy(teleportFault{never: true})},
	{"Jump, Restart: teleport decision reuses the alias fraction", likely, teleportBy(teleportFault{first: true})},
	{"Jump, Restart: walker stays where it is instead of teleporting", likely, teleportBy(teleportFault{nearby: true})},
	{"MultiDimensionalWalk: pool member drawn uniformly instead of by degree", likely, poolBy(poolFault{alike: true})},
	{"MultiDimensionalWalk: pool never updated", likely, poolBy(poolFault{keeps: true})},
	{"MultiDimensionalWalk: wrong pool member replaced", likely, poolBy(poolFault{last: true})},
}
