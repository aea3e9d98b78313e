package parts

import (
	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/engine/gpu/internal/launch"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/parallel"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/gonextdoor/rng"
)

// patch makes the samples of second order that have a step of which all tries were rejected, and writes them to the result.
// That needs a scan of two rows, which are seldom in slots together. Such steps are rare, so the host makes the complete
// samples by the definition of the app.
func (w *partWalk) patch() error {
	if !partsOf(w.Run).second {
		return nil
	}
	// 1. Read the numbers of the rows, and their roots.
	t, count := &w.args.W.T, [1]uint64{}
	if err := launch.First(launch.Fetch(&w.Scratch, t.AliveCount, count[:]), w.Stream.Synchronize()); err != nil || count[0] == 0 {
		return err
	}
	places, roots := make([]uint32, count[0]), make([]uint32, w.Rows)
	err := launch.First(launch.Fetch(&w.Scratch, t.Alive, places), launch.Fetch(&w.Scratch, t.Vertices, roots), w.Stream.Synchronize())
	if err != nil {
		return err
	}
	// 2. Make the samples and write them, some at a time.
	end := int(t.End)
	each := max(1, plan.PartPatches/(end+1))
	vertices, edges := make([]uint32, min(each, len(places))*(end+1)), []int64(nil)
	if t.Edges != 0 {
		edges = make([]int64, min(each, len(places))*end)
	}
	list := t.Alive
	for lo := 0; lo < len(places); lo += each {
		some := places[lo:min(len(places), lo+each)]
		if err := w.definePatches(some, roots, vertices, edges); err != nil {
			return err
		}
		t.Alive = list + 4*uint64(lo)
		if err := w.writePatches(len(some), vertices, edges); err != nil {
			return err
		}
	}
	return nil
}

// definePatches makes the samples of some rows: consecutive vertices, and ids of edges if they are wanted.
func (w *partWalk) definePatches(places, roots, vertices []uint32, edges []int64) error {
	end := int(w.args.W.T.End)
	stream, id := rng.Stream(w.args.W.B.Stream), w.args.W.B.First+w.args.W.B.Row
	return parallel.For(w.Job, w.Batch.Threads, len(places), 1, func(lo, hi int) error {
		for k := lo; k < hi; k++ {
			place := places[k]
			sample := w.Plan.App.Sample(w.Graph, stream.Key(id+uint64(place)), roots[place:place+1], app.Row{ID: id + uint64(place)})
			copy(vertices[k*(end+1):][:end+1], sample.Vertices)
			if edges == nil {
				continue
			}
			for s, position := range sample.Edges {
				edges[k*end+s] = -1
				if position != graph.NoEdge {
					edges[k*end+s] = int64(w.Graph.EdgeID(position))
				}
			}
		}
		return nil
	})
}

// writePatches writes samples that definePatches made to the result. Their rows are in T.Alive. It waits for the GPU.
func (w *partWalk) writePatches(count int, vertices []uint32, edges []int64) error {
	a := &w.args
	a.Patches = uint64(count)
	err := launch.Put(&w.Scratch, &a.PatchVertices, vertices[:count*int(a.W.T.End+1)])
	if err == nil && edges != nil {
		err = launch.Put(&w.Scratch, &a.PatchEdges, edges[:count*int(a.W.T.End)])
	}
	if err != nil {
		return err
	}
	threads := int64(count) * int64(a.W.T.End+1)
	k := launch.Kernel{Name: "streamed_patch"}
	return launch.First(w.Launcher.Threads(k, threads, a), w.Stream.Synchronize())
}
