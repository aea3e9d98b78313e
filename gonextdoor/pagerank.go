package gonextdoor

import (
	"math/bits"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/engine/cpu"
	"gonextdoor/gonextdoor/engine/gpu"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/output"
	"gonextdoor/gonextdoor/parallel"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/gonextdoor/refuse"
)

// Scores counts the visits of the walks of personalised PageRank on the CPU or one GPU. s.App is not bound yet. The
// result is lent from offheap.Results.
func Scores(on Devices, s plan.Scores, j *job.Job) (output.Scores, error) {
	if err := prepareScores(on, &s, j); err != nil {
		return output.Scores{}, err
	}
	r, err := scoresOn(on, s, j)
	if err == nil && s.App.Sinks == app.SinkStops {
		if err = markEnds(s, &r); err != nil {
			r.Return()
			return output.Scores{}, err
		}
	}
	return r, err
}

func scoresOn(on Devices, s plan.Scores, j *job.Job) (output.Scores, error) {
	if on == OnCPU {
		return cpu.Engine{}.Scores(s, j)
	}
	if on&(on-1) != 0 {
		return output.Scores{}, refuse.Value("device: personalized_pagerank runs on one GPU; name one, as \"cuda:0\"")
	}
	d, err := cuda.Open(bits.TrailingZeros64(uint64(on)))
	if err != nil {
		return output.Scores{}, err
	}
	opened.Store(true)
	return gpu.Engine{Device: d}.Scores(s, j)
}

// prepareScores checks a request and binds its app. A GPU makes the graph's alias tables itself, but not those of the sets.
func prepareScores(on Devices, s *plan.Scores, j *job.Job) error {
	hands := graph.Options{Threads: s.Threads, Job: j}
	if err := s.App.Check(); err != nil {
		return err
	}
	for row, n := range s.Walks {
		if n < 0 || n > s.App.MaxWalks() {
			return refuse.Value("walks = %d (row %d): expected from 1 to %d for stop = %v, since visits are counted in 32 bits",
				n, row, s.App.MaxWalks(), s.App.Stop)
		}
	}
	if err := s.Graph.ValidateWith(hands); err != nil {
		return err
	}
	if err := checkSets(s.From); err != nil {
		return err
	}
	if s.From.Weighted == app.Yes {
		if err := index.BuildAlias(s.From.Sets, hands); err != nil {
			return err
		}
	}
	if on == OnCPU && s.App.Weighs(s.Graph) {
		if err := index.BuildAlias(s.Graph, hands); err != nil {
			return err
		}
	}
	bound, err := s.App.Bind(s.Graph)
	if err == nil {
		s.App = bound
	}
	return err
}

// checkSets refuses a seed set from which no walk can begin.
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

// markEnds fills Ends.
func markEnds(s plan.Scores, r *output.Scores) error {
	if err := r.LendEnds(); err != nil {
		return err
	}
	return parallel.For(nil, s.Threads, len(r.Vertices), viewPiece, func(lo, hi int) error {
		for i, v := range r.Vertices[lo:hi] {
			r.Ends[lo+i] = 0
			if s.App.Ends(s.Graph, v) {
				r.Ends[lo+i] = 1
			}
		}
		return nil
	})
}
