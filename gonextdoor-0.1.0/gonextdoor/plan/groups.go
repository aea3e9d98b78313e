package plan

import "gonextdoor/gonextdoor/app"

// The cost model of samples that a group of threads makes on a GPU (app.Grouped). Its constants are what `go test -v -run
// Group ./gonextdoor/plan -fit` fits to the times of benchmarks/gpu/autosamples.csv.

// groupCost is the cost of one sample of a class, in nanoseconds. A few samples take as long as one, and Blocks blocks of
// threads take twice as long as one block.
type groupCost struct {
	Step   float64 // of a step, layer or hop
	Choice float64 // of a choice that others wait for
	Round  float64 // of one operation of every thread of the group
	Blocks float64 // the number of blocks of groupBlock threads that a GPU makes samples with at a time
}

// groupBlock is the number of threads of a block, and of the largest group.
const groupBlock = 256

// groupCosts is the cost of samples by class: see CostClass.
var groupCosts = map[string]groupCost{
	"App, collective":    {Step: 0, Choice: 1380, Round: 4370, Blocks: 433},
	"App, computed":      {Step: 0, Choice: 935, Round: 1930, Blocks: 327},
	"App, picks":         {Step: 19600, Choice: 2280, Round: 0, Blocks: 187},
	"App, pool":          {Step: 0, Choice: 6100, Round: 0, Blocks: 20},
	"App, recorded":      {Step: 201000, Choice: 0, Round: 314, Blocks: 123},
	"App, weighed picks": {Step: 14900, Choice: 931, Round: 998, Blocks: 142},
	"FastGCN":            {Step: 46600, Choice: 0, Round: 8040, Blocks: 327},
	"LADIES":             {Step: 59200, Choice: 1160, Round: 15200, Blocks: 215},
	"LADIES, by rows":    {Step: 23200, Choice: 0, Round: 22200, Blocks: 107},
	"Layer":              {Step: 55000, Choice: 0, Round: 1000, Blocks: 163},
	"Layer, biased":      {Step: 0, Choice: 3980, Round: 11900, Blocks: 498},
	"MVS":                {Step: 35600, Choice: 0, Round: 1260, Blocks: 498},
	"MVS, scored":        {Step: 126000, Choice: 0, Round: 0, Blocks: 433},
}

// grouped returns how an app's samples are made by groups of threads, with the number of threads. It is false if they are
// not.
func grouped(a app.App, roots int, on app.Size) (s app.Sequence, ok bool) {
	g, ok := a.(app.Grouped)
	if !ok {
		return s, false
	}
	if s, ok = g.Sequence(roots, on); ok && s.Threads == 0 {
		s.Threads = LayeredThreads(a, on)
	}
	return s, ok
}

// LayeredThreads returns the number of threads that make a layered sample of an app on a GPU: a warp if it has few
// operations, a block otherwise.
func LayeredThreads(a app.App, on app.Size) int {
	if app.Expect(a, 1, on).Operations > LayeredWarpOperations {
		return groupBlock
	}
	return 32
}

// groupTerms are the numbers by which groupCost is multiplied.
type groupTerms struct {
	steps, choices, rounds float64
	groups                 float64 // of a block
}

// termsOf returns the terms of a sample with the given number of operations.
func termsOf(s app.Sequence, operations float64) groupTerms {
	return groupTerms{s.Steps, s.Choices, operations / float64(s.Threads), groupBlock / float64(s.Threads)}
}

// of returns the seconds of one sample that is made alone, and how many more n samples take.
func (c groupCost) of(t groupTerms, samples float64) (one, more float64) {
	one = 1e-9 * (c.Step*t.steps + c.Choice*t.choices + c.Round*t.rounds)
	return one, one * samples / (c.Blocks * t.groups)
}
