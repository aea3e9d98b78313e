package gpu_test

import (
	"errors"
	"slices"
	"testing"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/engine/enginetest"
	"gonextdoor/gonextdoor/engine/gpu"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/gonextdoor/refuse"
)

// The GPU's counts equal those of the serial definition, for each layout of the graph, for one or many ranges of rows, and
// with tables that are too small at first.
func TestScoresEqualSerial(t *testing.T) {
	d := device(t)
	enginetest.ScoreRequests(t, func(t *testing.T, s plan.Scores) {
		for _, tuning := range []gpu.Tuning{{}, {Variant: 1, RankRows: 2, RankSlots: 4}} {
			enginetest.Scored(t, gpu.Engine{Device: d, Tuning: tuning}, s)
		}
	})
}

// Rows of several parts, in several launches, and walks that are longer than the history that a thread keeps.
func TestScoresOfLongWalks(t *testing.T) {
	d := device(t)
	enginetest.ScoreRequests(t, func(t *testing.T, s plan.Scores) {
		if s.App.Stop != 0.02 || s.App.Sinks != app.SinkRestarts {
			t.Skip("other walks are short")
		}
		s.Walks = []int64{1500, 0, 300, 1, 0, 0, 0, 0, 0}
		enginetest.Scored(t, gpu.Engine{Device: d, Tuning: gpu.Tuning{LaunchSteps: 100}}, s)
	})
}

func TestScoresRefused(t *testing.T) {
	d := device(t)
	enginetest.ScoreRequests(t, func(t *testing.T, s plan.Scores) {
		if s.App.Stop != 0.15 {
			t.Skip("one is enough")
		}
		if _, err := (gpu.Engine{Device: d}).Scores(s, &job.Job{Stop: 1}); !errors.Is(err, refuse.ErrInterrupted) {
			t.Errorf("stopped: %v", err)
		}
		slow := *s.App
		slow.Stop, s.App = 0.001, &slow
		s.Walks = slices.Clone(s.Walks)
		if _, err := (gpu.Engine{Device: d}).Scores(s, nil); refuse.KindOf(err) != refuse.KindDevice {
			t.Errorf("long walks: %v", err)
		}
	})
}
