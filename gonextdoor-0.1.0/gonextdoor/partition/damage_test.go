package partition_test

import (
	"errors"
	"slices"
	"testing"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/apps"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/graphtest"
	"gonextdoor/gonextdoor/parallel"
	"gonextdoor/gonextdoor/partition"
)

// Buffers whose words were changed are refused, or read as those of other walks; they never crash.
func TestDamagedBuffers(t *testing.T) {
	directed := graphtest.OneWay(true)
	refused, read := 0, 0
	for _, g := range []*graph.Graph{graphtest.Hub(true), directed} {
		parts := split(t, g, ownersOf(g.NumVertices(), 3)["hash"], nil)
		for _, a := range []app.App{
			&apps.DeepWalk{Length: 4}, &apps.Node2Vec{P: 1 << 20, Q: 1 << 19, Length: 4}, &apps.Node2Vec{P: 0.1, Q: 4, Length: 4},
			&apps.Restart{Teleport: apps.Teleport{Length: 4, Probability: 0.3}},
		} {
			for k, buffer := range buffersOf(t, parts, a) {
				for at := range buffer.words {
					for _, wrong := range []uint32{0, 1, 77, 1 << 20, 1<<31 + 3, 1<<32 - 1, buffer.words[at] + 1} {
						words := slices.Clone(buffer.words)
						words[at] = wrong
						c := cohortOf(t, parts[buffer.to], a)
						switch err := c.Run([][]uint32{words}, nil); {
						case errors.Is(err, parallel.ErrPanic):
							t.Fatalf("%T, buffer %d: word %d = %d: %v", a, k, at, wrong, err)
						case err != nil:
							refused++
						default:
							read++
						}
					}
				}
				for _, short := range []int{1, len(buffer.words) / 2, len(buffer.words) - 1} {
					if err := cohortOf(t, parts[buffer.to], a).Run([][]uint32{buffer.words[:short]}, nil); err == nil {
						t.Fatalf("%T: a buffer of %d words of %d was read", a, short, len(buffer.words))
					}
				}
			}
		}
	}
	if refused < read/4 || read == 0 {
		t.Errorf("%d damaged buffers were refused, %d were read", refused, read)
	}
}

// sent is a buffer on its way to a part.
type sent struct {
	to    int
	words []uint32
}

// cohortOf returns a new cohort of 20 samples.
func cohortOf(t *testing.T, p *partition.Part, a app.App) *partition.Cohort {
	t.Helper()
	w, err := partition.NewWalks(p, a, 1, 1, partition.Record{Visits: true, Ends: true}, graph.Options{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	c, err := w.Cohort(0, 20)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// buffersOf returns the buffers of the first supersteps of some walks.
func buffersOf(t *testing.T, parts []*partition.Part, a app.App) (all []sent) {
	t.Helper()
	var roots []uint32
	for i := range 20 {
		roots = append(roots, uint32(i%parts[0].Whole.Vertices))
	}
	start, err := partition.Start(parts[0].Layout, a, roots, 1)
	if err != nil {
		t.Fatal(err)
	}
	var cohorts []*partition.Cohort
	for _, p := range parts {
		cohorts = append(cohorts, cohortOf(t, p, a))
	}
	encode := func(from interface {
		Sizes() []int
		Encode(part int, to []uint32)
	}) (buffers []sent) {
		for to, size := range from.Sizes() {
			if size > 0 {
				words := make([]uint32, size)
				from.Encode(to, words)
				buffers = append(buffers, sent{to, words})
			}
		}
		return buffers
	}
	now := encode(start)
	for range 4 {
		all = append(all, now...)
		var next []sent
		for k, c := range cohorts {
			for _, b := range now {
				if b.to == k {
					if err := c.Run([][]uint32{b.words}, nil); err != nil {
						t.Fatal(err)
					}
				}
			}
			next = append(next, encode(c)...)
		}
		now = next
	}
	return all
}

// Questions and answers of mini-batches whose words were changed are refused, or read as others; they never crash.
func TestDamagedQuestionsAndAnswers(t *testing.T) {
	h := graphtest.Library(true)
	parts, free, err := splitTypes(h, 2, "hash", 0)
	if err != nil {
		t.Fatal(err)
	}
	defer free()
	m := &app.NeighborSampling{Fanouts: [][]int{{2, 1, -1}, {-1, 2, 1}}, Weighted: app.Auto, Layout: app.COO}
	nodes := []app.SeedNodes{{Vertices: [][]uint32{{0, 1, 2}, {0, 1}}, Excluded: [][]int64{{1}, nil, nil}}}
	begin := func() *partition.BatchCall {
		c, err := partition.NewBatchCall(parts[0], m, []uint64{1}, nodes, 1)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	c := begin()
	defer c.Discard()
	questions, err := c.Questions(nil)
	if err != nil || len(questions[1]) == 0 {
		t.Fatalf("questions %v, %v: expected one to part 1", questions, err)
	}
	answer, err := parts[1].AnswerEdges(questions[1], nil)
	if err != nil {
		t.Fatal(err)
	}
	refused, read := 0, 0
	count := func(what string, at int, wrong uint32, err error) {
		switch {
		case errors.Is(err, parallel.ErrPanic):
			t.Fatalf("%s: word %d = %d: %v", what, at, wrong, err)
		case err != nil:
			refused++
		default:
			read++
		}
	}
	damaged := func(buffer []uint32, f func(at int, wrong uint32, words []uint32)) {
		for at := range buffer {
			for _, wrong := range []uint32{0, 1, 2, 3, 77, 1<<31 + 3, 1<<32 - 1, buffer[at] + 1} {
				words := slices.Clone(buffer)
				words[at] = wrong
				f(at, wrong, words)
			}
		}
	}
	damaged(questions[1], func(at int, wrong uint32, words []uint32) {
		_, err := parts[1].AnswerEdges(words, nil)
		count("question", at, wrong, err)
	})
	damaged(answer, func(at int, wrong uint32, words []uint32) {
		c := begin()
		defer c.Discard()
		if _, err := c.Questions(nil); err != nil {
			t.Fatal(err)
		}
		err := c.Answers([][]uint32{nil, words}, nil)
		if err == nil {
			_, err = c.Questions(nil) // chooses among the vertices that the answer led to
		}
		count("answer", at, wrong, err)
	})
	if refused < read/8 || read == 0 {
		t.Errorf("%d damaged buffers were refused, %d were read", refused, read)
	}
}
