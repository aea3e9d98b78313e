package mutant

import (
	"fmt"
	"testing"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/app/apptest"
	"gonextdoor/gonextdoor/engine/enginetest"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/rng"
	"gonextdoor/gonextdoor/selector"
)

// rankFault selects a fault of the walks of personalised PageRank; the zero value has none.
type rankFault struct {
	unstopped bool // the walk cannot stop at its first vertex, as those of PPR
	early     bool // the vertex at which it stops is not counted
	inverted  bool // it continues with probability stop
	sinks     bool // it does the opposite at sinks: it ends, or begins again
	anywhere  bool // it continues from a sink at any vertex
	first     bool // it continues from a sink at the first seed
	unbiased  bool // seeds are chosen regardless of their weights
	reused    bool // the fraction that chose the seed or the edge decides whether it stops
	shared    bool // all walks of a row have the words of the first
}

func (f rankFault) walk(a *app.PageRank, g *graph.Graph, p app.Personalization, row int, key rng.Key, visits []uint32) []uint32 {
	v := graph.None
	for s := uint64(0); s < 1000; s++ {
		word, next := key.Word(rng.Slot(s, 0)), graph.None
		fraction, used := rng.Second(word), rng.Second(word)
		if v != graph.None {
			next, _ = stepBy(right, g, v, word, a.Weighted)
			index, unused := rng.Below(word, g.Degree(v))
			if used = unused; a.Weighted == app.No && next != graph.None {
				fraction, used = unused, uint32(index<<30)
			}
		} else if p.Sets != nil {
			_, used = rng.Below(word, p.Sets.Degree(uint32(row)))
		}
		if next == graph.None {
			if s > 0 && (a.Sinks == app.SinkStops) != f.sinks {
				return visits
			}
			next = f.seed(g, p, row, word, s)
		}
		if f.reused {
			fraction = used
		}
		stop := (uint64(fraction) < a.Threshold()) != f.inverted
		if stop && f.early && s > 0 {
			return visits
		}
		visits = append(visits, next)
		if stop && !(f.unstopped && s == 0) {
			return visits
		}
		v = next
	}
	return visits
}

func (f rankFault) seed(g *graph.Graph, p app.Personalization, row int, word, s uint64) uint32 {
	switch {
	case s > 0 && f.anywhere:
		return uint32(selector.Uniform(word, uint64(g.NumVertices())))
	case s > 0 && f.first && p.Sets != nil:
		return p.Vertices[p.Sets.Neighbors(uint32(row))[0]]
	case f.unbiased:
		p.Weighted = app.No
	}
	return p.Choose(row, word)
}

var rankMutants = []struct {
	name  string
	fault rankFault
}{
	{"PageRank: no stop possible at the first vertex, as in PPR", rankFault{unstopped: true}},
	{"PageRank: last vertex of a walk not counted as a visit", rankFault{early: true}},
	{"PageRank: continues with probability stop", rankFault{inverted: true}},
	{"PageRank: conventions for sinks exchanged", rankFault{sinks: true}},
	{"PageRank: restarts from a sink at any vertex", rankFault{anywhere: true}},
	{"PageRank: restarts from a sink at the first seed", rankFault{first: true}},
	{"PageRank: weights of seeds ignored", rankFault{unbiased: true}},
	{"PageRank: stop decision reuses consumed random bits", rankFault{reused: true}},
	{"PageRank: all walks of a row use the key of the first", rankFault{shared: true}},
}

// Every fault of the walks of personalised PageRank fails some check, and the copy without a fault passes all. A short run
// has one fault in 3.
func TestRankMutants(t *testing.T) {
	checks, share := apptest.RankChecks(), enginetest.NewShare(t, 3)
	out := newResults(t, "pagerank", countedColumns[:3])
	for _, c := range checks {
		if r := c.Run(rankFault{}.walk); r.Failed() {
			t.Errorf("%s fails without a fault: %v", c.Name, r)
		}
	}
	for _, m := range rankMutants {
		if !share.Takes() {
			continue
		}
		failed := 0
		for _, c := range checks {
			walk := apptest.RankWalker(m.fault.walk)
			if m.fault.shared {
				walk = sharingKey(m.fault.walk)
			}
			if c.Run(walk).Failed() {
				failed++
			}
		}
		out.add(m.name, likely, fmt.Sprintf("%d of %d", failed, len(checks)))
		if failed == 0 {
			t.Errorf("%s: no check notices", m.name)
		}
	}
}

// sharingKey gives both walks of an outcome the key of the first.
func sharingKey(walk apptest.RankWalker) apptest.RankWalker {
	var first rng.Key
	calls := 0
	return func(a *app.PageRank, g *graph.Graph, p app.Personalization, row int, key rng.Key, visits []uint32) []uint32 {
		if calls++; calls%2 == 1 {
			first = key
		}
		return walk(a, g, p, row, first, visits)
	}
}
