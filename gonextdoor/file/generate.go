package file

import (
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/build"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/offheap"
)

// leastBudget is the memory, in bytes, that a part of a generated graph may take however little is free.
const leastBudget = 64 << 20

// Generate makes an R-MAT graph. If folder is "", it makes the graph in memory. Otherwise it writes the graph to the folder
// in parts, each of which takes a third of the free memory, and maps the folder.
func Generate(r build.RMAT, folder string) (*graph.Graph, error) {
	if folder == "" {
		return r.Graph()
	}
	if err := r.Check(); err != nil {
		return nil, err
	}
	var unwatched *job.Job // the job counts edges, a writer's counts bytes
	w, err := NewWriter(folder, 1<<r.Scale, unwatched)
	if err != nil {
		return nil, err
	}
	defer w.Abandon()
	err = r.Parts(max(leastBudget, offheap.Available()/3), func(p build.Part) error {
		if err := r.Job.Err(); err != nil {
			return err
		}
		return w.AppendRows(Rows{
			Indptr: p.Rows.Indptr, Indices: p.Rows.Indices, Biases: p.Rows.Biases, Scales: p.Rows.Scales,
		})
	})
	if err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return Open(folder)
}
