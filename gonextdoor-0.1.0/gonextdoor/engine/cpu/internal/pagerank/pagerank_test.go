package pagerank_test

import (
	"errors"
	"slices"
	"testing"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/engine/cpu"
	"gonextdoor/gonextdoor/engine/enginetest"
	"gonextdoor/gonextdoor/graph/build"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/gonextdoor/refuse"
)

// The counts equal those of the serial definition for every engine, number of threads and order of entries.
func TestScoresEqualSerial(t *testing.T) {
	enginetest.ScoreRequests(t, func(t *testing.T, s plan.Scores) {
		for e, engine := range []cpu.Engine{{}, {NoAVX512: true}, {Pure: true}} {
			s.Threads = []int{1, 2, 20}[e]
			enginetest.Scored(t, engine, s)
		}
	})
}

// scoresOn returns a request for walks with single seeds on a directed R-MAT graph.
func scoresOn(t *testing.T, stop float64, walks ...int64) plan.Scores {
	g, err := build.RMAT{Scale: 9, EdgeFactor: 3, Seed: 5}.Graph()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(g.Close)
	a, err := (&app.PageRank{Stop: stop}).Bind(g)
	if err != nil {
		t.Fatal(err)
	}
	return plan.Scores{App: a, Graph: g, From: enginetest.ScoreStarts(g, len(walks), "single"), Walks: walks, Seed: 3}
}

// Rows may have several pieces, with or without sharing among threads, and walks of several step chunks.
func TestScoresOfManyWalks(t *testing.T) {
	for _, stop := range []float64{0.005, 0.2} {
		s := scoresOn(t, stop, 5000, 0, 2049)
		for _, s.Threads = range []int{1, 3, 8} {
			enginetest.Scored(t, cpu.Engine{}, s)
		}
	}
}

func TestScoresStop(t *testing.T) {
	s := scoresOn(t, 0.2, 1, 1, 1)
	for _, s.Threads = range []int{1, 8} {
		if _, err := (cpu.Engine{}).Scores(s, &job.Job{Stop: 1}); !errors.Is(err, refuse.ErrInterrupted) {
			t.Errorf("%d threads: %v", s.Threads, err)
		}
	}
}

// BenchmarkScores reports seeds per second on one thread, with 1,000 walks per seed.
func BenchmarkScores(b *testing.B) {
	g, err := build.RMAT{Scale: 19, EdgeFactor: 16, Low: 1, High: 5, Symmetric: true, Seed: 1}.Graph()
	if err != nil {
		b.Fatal(err)
	}
	defer g.Close()
	a, err := (&app.PageRank{Stop: 0.15, Weighted: app.No}).Bind(g)
	if err != nil {
		b.Fatal(err)
	}
	s := plan.Scores{App: a, Graph: g, From: enginetest.ScoreStarts(g, 200, "single"), Walks: slices.Repeat([]int64{1000}, 200), Threads: 1}
	for b.Loop() {
		r, err := (cpu.Engine{}).Scores(s, nil)
		if err != nil {
			b.Fatal(err)
		}
		r.Return()
	}
	b.ReportMetric(200*float64(b.N)/b.Elapsed().Seconds(), "seeds/s")
}
