// Package pagerank runs personalised PageRank: it validates a request, binds its app, and lets an engine count the visits of
// the walks.
//
// It is not under internal/ so that programs that build engines themselves can use it.
package pagerank

import (
	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/engine"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/output"
	"gonextdoor/gonextdoor/parallel"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/gonextdoor/refuse"
)

// grain is the number of vertices that a thread reads at a time.
const grain = 1 << 17

// Scores lets an engine count the visits of a request that Prepare has prepared. The result is lent from offheap.Results.
func Scores(e engine.Scorer, s plan.Scores, j *job.Job) (output.Scores, error) {
	r, err := e.Scores(s, j)
	if err == nil && s.App.Sinks == app.SinkStops {
		if err = markEnds(s, &r); err != nil {
			r.Return()
			return output.Scores{}, err
		}
	}
	return r, err
}

// Prepare validates a request, binds its app, and builds the alias tables that the engine needs: those of the seed sets and,
// unless onDevice is set, those of the graph. Devices build the latter themselves. It modifies s.App.
func Prepare(s *plan.Scores, onDevice bool, j *job.Job) error {
	options := graph.Options{Threads: s.Threads, Job: j}
	if err := s.App.Check(); err != nil {
		return err
	}
	for row, n := range s.Walks {
		if n < 0 || n > s.App.MaxWalks() {
			return refuse.Value("walks = %d (row %d): expected from 1 to %d for stop = %v, since visits are counted in 32 bits",
				n, row, s.App.MaxWalks(), s.App.Stop)
		}
	}
	if err := s.Graph.ValidateWith(options); err != nil {
		return err
	}
	if err := checkSets(s.From); err != nil {
		return err
	}
	if s.From.Weighted == app.Yes {
		if err := index.BuildAlias(s.From.Sets, options); err != nil {
			return err
		}
	}
	if !onDevice && s.App.Weighs(s.Graph) {
		if err := index.BuildAlias(s.Graph, options); err != nil {
			return err
		}
	}
	bound, err := s.App.Bind(s.Graph)
	if err == nil {
		s.App = bound
	}
	return err
}

// checkSets returns an error if one of the seed sets has no vertex from which a walk can begin.
func checkSets(p app.Personalization) error {
	if p.Sets == nil {
		return nil
	}
	if p.Rows > p.Sets.NumVertices() {
		return refuse.Value("seeds: %d sets in a table of %d rows", p.Rows, p.Sets.NumVertices())
	}
	for row := range uint32(p.Rows) {
		first, end := p.Sets.Row(row)
		possible := p.Weighted != app.Yes && end > first
		for e := first; e < end && !possible; e++ {
			possible = p.Sets.Biases[e] > 0
		}
		if !possible {
			return refuse.Value("seeds[%d] has no vertex with a positive weight", row)
		}
	}
	return nil
}

// markEnds sets r.Ends: 1 for vertices at which walks end because they have no edge to take.
func markEnds(s plan.Scores, r *output.Scores) error {
	if err := r.LendEnds(); err != nil {
		return err
	}
	return parallel.For(nil, s.Threads, len(r.Vertices), grain, func(lo, hi int) error {
		for i, v := range r.Vertices[lo:hi] {
			r.Ends[lo+i] = 0
			if s.App.Ends(s.Graph, v) {
				r.Ends[lo+i] = 1
			}
		}
		return nil
	})
}
