package partition_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/engine"
	"gonextdoor/gonextdoor/engine/enginetest"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/graphtest"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/offheap"
	"gonextdoor/gonextdoor/output"
	"gonextdoor/gonextdoor/partition"
	"gonextdoor/gonextdoor/refuse"
)

// answerer is a part, of a graph of one type or several.
type answerer interface {
	AnswerEdges(question []uint32, j *job.Job) ([]uint32, error)
}

// askEdges passes each question to its part and returns the answers.
func askEdges[P answerer](parts []P, questions [][]uint32) ([][]uint32, error) {
	answers := make([][]uint32, len(parts))
	for i, q := range questions {
		if len(q) == 0 {
			continue
		}
		var err error
		if answers[i], err = parts[i].AnswerEdges(q, nil); err != nil {
			return nil, err
		}
	}
	return answers, nil
}

// drawBatches draws mini-batches from a part. Each batch in the result is owned by the caller.
func drawBatches(
	parts []*partition.HeteroPart, home int, m *app.NeighborSampling, seeds []uint64, nodes []app.SeedNodes, j *job.Job,
) ([]output.NeighborBatch, error) {
	c, err := partition.NewBatchCall(parts[home], m, seeds, nodes, 1)
	if err != nil {
		return nil, err
	}
	for {
		questions, err := c.Questions(j)
		if err == nil && questions == nil {
			return c.Finish()
		}
		var answers [][]uint32
		if err == nil {
			answers, err = askEdges(parts, questions)
		}
		if err == nil {
			err = c.Answers(answers, j)
		}
		if err != nil {
			c.Discard()
			return nil, err
		}
	}
}

// partSampler draws mini-batches of a partitioned graph, each from another part than the last.
type partSampler struct {
	parts []*partition.HeteroPart
	home  int
}

func (s *partSampler) Sample(m *app.NeighborSampling, seed uint64, nodes app.SeedNodes, _ int, j *job.Job) (output.NeighborBatch, error) {
	s.home = (s.home + 1) % len(s.parts)
	all, err := drawBatches(s.parts, s.home, m, []uint64{seed}, []app.SeedNodes{nodes}, j)
	if err != nil {
		return output.NeighborBatch{}, err
	}
	return all[0], nil
}

// divisible reports whether the parts of a graph of one type can be those of a Hetero: it counts the rows of its graph.
func divisible(c enginetest.BatchCase) bool {
	h := c.Graph
	return h.Types != nil || len(h.Relations) == 1 && h.Counts[0] == h.Relations[0].Graph.NumVertices()
}

// dated returns the graph of relation r, whose edges have the times by which they are chosen. It shares the arrays of h.
func dated(h *graph.Hetero, r int) (*graph.Graph, error) {
	of := h.Relations[r].Graph
	g, err := graph.FromArrays(of.Arrays(), graph.Summary{MaxDegree: of.MaxDegree(), HasSinks: of.HasSinks(), Checked: true})
	if err != nil || !h.Timed(r) || g.Times != nil {
		return g, err
	}
	g.Times = make([]int64, g.NumEdges())
	for p := range g.Times {
		g.Times[p] = h.EdgeTime(r, uint64(p))
	}
	return g, nil
}

// splitTypes divides the vertices of each type of a graph into parts.
func splitTypes(h *graph.Hetero, count int, kind string, hot int) (parts []*partition.HeteroPart, free func(), err error) {
	relations := make([][]*partition.Part, count)
	free = func() {
		for k := range relations {
			if k < len(parts) {
				parts[k].Close()
			}
			for _, p := range relations[k] {
				p.Close()
			}
		}
	}
	for r := range h.Relations {
		g, err := dated(h, r)
		if err != nil {
			return nil, free, err
		}
		all, err := partition.Split(g, ownersOf(g.NumVertices(), count)[kind], hotOf(g, hot), graph.Options{Threads: 1})
		if err != nil {
			return nil, free, err
		}
		for k, p := range all {
			relations[k] = append(relations[k], p)
		}
	}
	for k := range relations {
		p, err := partition.NewHeteroPart(h, relations[k])
		if err != nil {
			return nil, free, err
		}
		parts = append(parts, p)
	}
	return parts, free, nil
}

// samplersOf returns the constructor of samplers of a graph that is divided into parts.
func samplersOf(count int, kind string, hot int) enginetest.NewSampler {
	return func(h *graph.Hetero) (engine.NeighborSampler, func(), error) {
		parts, free, err := splitTypes(h, count, kind, hot)
		return &partSampler{parts: parts}, free, err
	}
}

func TestPartitionedBatchesEqualTheDefinition(t *testing.T) {
	share := enginetest.NewShare(t, 3)
	for _, count := range []int{1, 2, 3, 5} {
		for _, kind := range []string{"ranges", "hash"} {
			for _, hot := range []int{0, 3} {
				t.Run(fmt.Sprint(count, " ", kind, " ", hot), func(t *testing.T) {
					checked, typed := 0, 0
					enginetest.RunThoseBatches(t, samplersOf(count, kind, hot), func(c enginetest.BatchCase) bool {
						wanted := divisible(c) && share.Takes()
						if wanted {
							checked++
						}
						if wanted && c.Graph.Types != nil {
							typed++
						}
						return wanted
					})
					if checked < 20 || typed < 5 {
						t.Errorf("%d batches were compared, %d of several types: expected at least 20 and 5", checked, typed)
					}
				})
			}
		}
	}
}

func TestRandomPartitionedBatches(t *testing.T) {
	share := enginetest.NewShare(t, 12)
	for _, hot := range []int{0, 50} {
		enginetest.RunRandomBatches(t, samplersOf(4, "hash", hot), 200, func(c enginetest.BatchCase) bool {
			return divisible(c) && share.Takes()
		})
	}
}

// alone returns the parts of a graph of one type as those of a heterogeneous one.
func alone(parts []*partition.Part) (all []*partition.HeteroPart) {
	for _, p := range parts {
		all = append(all, p.Alone())
	}
	return all
}

// call begins one mini-batch of a vertex on parts of a weighted graph.
func call(t *testing.T, parts []*partition.Part, m app.NeighborSampling, vertex uint32) *partition.BatchCall {
	t.Helper()
	c, err := partition.NewBatchCall(parts[0].Alone(), &m, []uint64{1}, []app.SeedNodes{{Vertices: [][]uint32{{vertex}}}}, 1)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Discard)
	return c
}

func TestBatchCallsShareTheBuffersOfAHop(t *testing.T) {
	g := random(t, 9, false)
	parts := split(t, g, ownersOf(g.NumVertices(), 4)["hash"], nil)
	m := &app.NeighborSampling{Fanouts: [][]int{{3}, {0}, {2}}, Expand: app.ExpandAll}
	seeds, nodes := []uint64{1, 2, 3}, []app.SeedNodes{{Vertices: [][]uint32{{1, 2, 3}}}, {Vertices: [][]uint32{{4, 5}}}, {Vertices: [][]uint32{{}}}}
	c, err := partition.NewBatchCall(parts[1].Alone(), m, seeds, nodes, 2)
	if err != nil {
		t.Fatal(err)
	}
	rounds, buffers, words := 0, 0, 0
	for ; ; rounds++ {
		questions, err := c.Questions(nil)
		if err != nil {
			t.Fatal(err)
		}
		if questions == nil {
			break
		}
		answers, err := askEdges(parts, questions)
		if err == nil {
			err = c.Answers(answers, nil)
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, b := range append(questions, answers...) {
			if len(b) > 0 {
				buffers++
				words += len(b)
			}
		}
	}
	if rounds != 3 || c.Exchanged().Messages != buffers || c.Exchanged().Bytes != 4*words || buffers > 2*2*3 {
		t.Errorf("%d rounds, %+v: expected 3 with %d buffers of %d words", rounds, c.Exchanged(), buffers, words)
	}
	if c.Exchanged().Rows[0] != 5 || c.Exchanged().Rows[1] != 0 || c.Exchanged().Asked[2] >= c.Exchanged().Rows[2] || c.Exchanged().Asked[2] < c.Exchanged().Rows[2]/2 {
		t.Errorf("%+v: expected 5 rows in hop 0, none in hop 1, and about three of four rows asked for in hop 2", c.Exchanged())
	}
	all, err := c.Finish()
	if err != nil {
		t.Fatal(err)
	}
	for i, got := range all {
		one, err := drawBatches(alone(parts), 0, m, seeds[i:i+1], nodes[i:i+1], nil)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got.Nodes[0], one[0].Nodes[0]) {
			t.Errorf("batch %d has other nodes than alone", i)
		}
		one[0].Return()
		got.Return()
	}
}

// Frontiers have no hot rows of other parts.
func TestHotRowsAreNotAskedFor(t *testing.T) {
	g := random(t, 9, false)
	owners := ownersOf(g.NumVertices(), 4)["hash"]
	all := make([]uint32, g.NumVertices())
	for v := range all {
		all[v] = uint32(v)
	}
	parts := split(t, g, owners, all)
	c := call(t, parts, app.NeighborSampling{Fanouts: [][]int{{3}, {3}}}, 7)
	for range 2 {
		questions, err := c.Questions(nil)
		if err == nil {
			err = c.Answers(nil, nil)
		}
		if err != nil || slices.ContainsFunc(questions, func(b []uint32) bool { return len(b) > 0 }) {
			t.Fatalf("%v, questions %v: expected none", err, questions)
		}
	}
	if c.Exchanged().Messages != 0 || c.Exchanged().Asked[1] != 0 || c.Exchanged().Rows[1] == 0 {
		t.Errorf("traffic %+v: expected none", c.Exchanged())
	}
}

func TestBatchCallsRefuse(t *testing.T) {
	g := graphtest.Thicket(false)
	parts := split(t, g, byRange{2, g.NumVertices()}, nil)
	before := offheap.Results.Out()
	one := []app.SeedNodes{{Vertices: [][]uint32{{1}}}}
	hop := [][]int{{2}}
	for want, x := range map[string]struct {
		m     app.NeighborSampling
		seeds []uint64
		nodes []app.SeedNodes
	}{
		"batch_seeds has 2 elements: expected 1, one per batch":             {app.NeighborSampling{Fanouts: hop}, []uint64{1, 2}, one},
		"fanouts[0] has 2 numbers: expected 1, one per relation of the":     {app.NeighborSampling{Fanouts: [][]int{{1, 2}}}, []uint64{1}, one},
		"weighted = True: the graph has no weights":                         {app.NeighborSampling{Fanouts: hop, Weighted: app.Yes}, []uint64{1}, one},
		"temporal = \"last\": the edges of the partitioned graph have no t": {app.NeighborSampling{Fanouts: hop, Disjoint: true, Temporal: app.TemporalLast}, []uint64{1}, one},
		"seed_nodes[1] = 6: the graph has 6 vertices":                       {app.NeighborSampling{Fanouts: hop}, []uint64{1}, []app.SeedNodes{{Vertices: [][]uint32{{1, 6}}}}},
		"batch 1: seed_nodes[1] = 3: this vertex is also seed_nodes[0]":     {app.NeighborSampling{Fanouts: hop}, []uint64{1, 2}, append(one[:1:1], app.SeedNodes{Vertices: [][]uint32{{3, 3}}})},
		"exclude[1] = -4: edge ids are at least 0":                          {app.NeighborSampling{Fanouts: hop}, []uint64{1}, []app.SeedNodes{{Vertices: [][]uint32{{1}}, Excluded: [][]int64{{2, -4}}}}},
		"times has 1 elements: expected none, since temporal is None":       {app.NeighborSampling{Fanouts: hop}, []uint64{1}, []app.SeedNodes{{Vertices: [][]uint32{{1}}, Times: []int64{4}}}},
	} {
		c, err := partition.NewBatchCall(parts[0].Alone(), &x.m, x.seeds, x.nodes, 1)
		if err == nil || !strings.Contains(err.Error(), want) || c != nil {
			t.Errorf("error %v: expected %q", err, want)
		}
	}
	timed := graphtest.Full(t, false)
	defer timed.Close()
	m := &app.NeighborSampling{Fanouts: hop, Disjoint: true, Temporal: app.TemporalUniform}
	_, err := partition.NewBatchCall(split(t, timed, byRange{1, timed.NumVertices()}, nil)[0].Alone(), m, []uint64{1}, one, 1)
	if err == nil || !strings.Contains(err.Error(), "times is missing: expected one time per seed, since the vertices of a partitioned") {
		t.Errorf("error %v for seed nodes without times", err)
	}
	if n := offheap.Results.Out(); n != before {
		t.Errorf("%d results are lent, %d were before", n, before)
	}
}

func TestBatchCallsRefuseTheWrongOrder(t *testing.T) {
	g := graphtest.Thicket(false)
	parts := split(t, g, byRange{2, g.NumVertices()}, nil)
	c := call(t, parts, app.NeighborSampling{Fanouts: [][]int{{2}}}, 0)
	if err := c.Answers(nil, nil); err == nil || !strings.Contains(err.Error(), "answers without questions") {
		t.Errorf("error %v", err)
	}
	if _, err := c.Questions(nil); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Questions(nil); err == nil || !strings.Contains(err.Error(), "hop 0 has not been answered") {
		t.Errorf("error %v", err)
	}
	if _, err := c.Finish(); err == nil || !strings.Contains(err.Error(), "0 of 1 hops") {
		t.Errorf("error %v", err)
	}
	if _, err := c.Finish(); err == nil || !strings.Contains(err.Error(), "is complete or was discarded") {
		t.Errorf("error %v", err)
	}
}

// A stopped job ends a call.
func TestStoppedBatchCalls(t *testing.T) {
	g := random(t, 9, false)
	parts := split(t, g, byRange{1, g.NumVertices()}, nil)
	_, err := drawBatches(
		alone(parts), 0, &app.NeighborSampling{Fanouts: [][]int{{2}}}, []uint64{1}, []app.SeedNodes{{Vertices: [][]uint32{{0}}}}, &job.Job{Stop: 1})
	if !errors.Is(err, refuse.ErrInterrupted) {
		t.Errorf("error %v: expected an interruption", err)
	}
}
