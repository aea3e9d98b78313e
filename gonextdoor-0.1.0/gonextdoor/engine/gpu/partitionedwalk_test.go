package gpu_test

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/apps"
	"gonextdoor/gonextdoor/engine/cpu"
	"gonextdoor/gonextdoor/engine/gpu"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/build"
	"gonextdoor/gonextdoor/graph/graphtest"
	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/output"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/gonextdoor/refuse"
)

// traced returns the visits and the last vertices of the traces that the CPU engine stores.
func traced(t *testing.T, p plan.Plan, b plan.Batch) (counts []int64, ends []uint32) {
	t.Helper()
	rows := b.Roots.Samples()
	out := output.Matrix{Vertices: make([]uint32, rows*p.Width), Width: p.Width, Roots: 1}
	if err := (cpu.Engine{}).Matrix(p, p.Graph, b, out, nil); err != nil {
		t.Fatal(err)
	}
	counts, ends = make([]int64, p.Graph.NumVertices()), make([]uint32, rows)
	for i, v := range out.Vertices {
		if v != graph.None {
			counts[v]++
			ends[i/p.Width] = v
		}
	}
	return counts, ends
}

// countVisits writes the visits and the ends of partitioned walks to counts and ends. Either may be nil.
func countVisits(e gpu.Engine, p plan.Plan, g *graph.Graph, b plan.Batch, counts []int64, ends []uint32, j *job.Job) (err error) {
	var there *gpu.VisitCounts
	if counts != nil {
		if there, err = e.NewVisitCounts(len(counts)); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, there.Free()) }()
	}
	done, err := e.CountVisits(p, g, b, there, ends, j)
	if err == nil && !done {
		err = errors.New("the visits were not counted during the walks")
	}
	if err != nil || counts == nil {
		return err
	}
	return there.CopyOut(nil, 0, counts, 2, j)
}

func TestPartitionedWalksEqualTraces(t *testing.T) {
	d := device(t)
	dense, err := build.RMAT{Scale: 9, EdgeFactor: 6, Seed: 3, Threads: 1}.Graph()
	if err != nil {
		t.Fatal(err)
	}
	defer dense.Close()
	graphs := map[string]*graph.Graph{
		"thicket": graphtest.Thicket(true), "star": graphtest.Star(700, true), "circle": graphtest.Circle(true),
		"lonely": graphtest.Lonely(true), "one way": graphtest.OneWay(true), "dense": dense,
	}
	share := deviceShare(t, 17)
	for _, name := range slices.Sorted(maps.Keys(graphs)) {
		g := graphs[name]
		weighted := []app.Weighted{app.No}
		if g.Weighted() {
			weighted = append(weighted, app.Yes)
			if err := index.BuildAlias(g, graph.Options{}); err != nil {
				t.Fatal(err)
			}
		}
		for _, w := range weighted {
			for _, length := range []int{0, 1, 4} {
				if !share.Takes() {
					continue
				}
				t.Run(fmt.Sprintf("%s/%v/%d", name, w, length), func(t *testing.T) {
					p, err := plan.New(&apps.DeepWalk{Length: length, Weighted: w}, g, 1)
					if err != nil {
						t.Fatal(err)
					}
					n := g.NumVertices()
					given := make([]uint32, 40)
					for i := range given {
						given[i] = uint32(i * i % n)
					}
					for i, b := range []plan.Batch{
						{Roots: plan.Roots{Count: n, Width: 1, Repeat: 3}, Seed: 7, First: 1 << 40},
						{Roots: plan.Roots{Vertices: given, Count: len(given), Width: 1, Repeat: 1 + 4500/len(given)}, Seed: 1},
					} {
						counts, ends := traced(t, p, b)
						e := gpu.Engine{Device: d, Tuning: gpu.Tuning{PartitionedRows: []int{101, 1 << 20}[i]}}
						gotCounts, gotEnds := make([]int64, n), make([]uint32, len(ends))
						for _, ask := range []struct {
							counts []int64
							ends   []uint32
						}{{gotCounts, gotEnds}, {gotCounts, nil}, {nil, gotEnds}} {
							clear(gotCounts)
							clear(gotEnds)
							if err := countVisits(e, p, g, b, ask.counts, ask.ends, nil); err != nil {
								t.Fatal(err)
							}
							if ask.counts != nil && !slices.Equal(gotCounts, counts) {
								t.Errorf("batch %d: visits %v, expected %v", i, gotCounts[:min(9, n)], counts[:min(9, n)])
							}
							if ask.ends != nil && !slices.Equal(gotEnds, ends) {
								t.Errorf("batch %d: ends %v, expected %v", i, gotEnds[:9], ends[:9])
							}
						}
					}
				})
			}
		}
	}
}

func TestPartitionedWalksCanBeStoppedAndLeaveNothing(t *testing.T) {
	d := device(t)
	g := graphtest.Star(300, true)
	p, err := plan.New(&apps.DeepWalk{Length: 5}, g, 1)
	if err != nil {
		t.Fatal(err)
	}
	b := plan.Batch{Roots: plan.Roots{Count: 301, Width: 1, Repeat: 2}}
	e := gpu.Engine{Device: d, Tuning: gpu.Tuning{PartitionedRows: 1000}}
	if done, err := (gpu.Engine{Device: d}).CountVisits(p, g, b, nil, make([]uint32, 602), nil); done || err != nil {
		t.Errorf("few walkers were ordered: %v", err)
	}
	err = countVisits(e, p, g, b, make([]int64, 301), nil, &job.Job{Stop: 1})
	if refuse.KindOf(err) != refuse.KindInterrupted {
		t.Errorf("error %v", err)
	}
	if err := countVisits(e, p, g, b, make([]int64, 301), nil, nil); err != nil {
		t.Error(err)
	}
}
