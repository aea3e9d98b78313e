package gonextdoor

import (
	"gonextdoor/gonextdoor/file"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/build"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/offheap"
)

// leastBudget is what a part of a generated graph may take, however little memory there is.
const leastBudget = 64 << 20

// Generate makes an R-MAT graph: in memory, or where a folder is given part by part into that, which is then opened. A
// part takes a third of the memory that is left.
func Generate(r build.RMAT, folder string) (*graph.Graph, error) {
	if folder == "" {
		return r.Graph()
	}
	if err := r.Check(); err != nil {
		return nil, err
	}
	var unwatched *job.Job // the job counts edges, a writer's counts bytes
	w, err := file.NewWriter(folder, 1<<r.Scale, unwatched)
	if err != nil {
		return nil, err
	}
	defer w.Abandon()
	err = r.Parts(max(leastBudget, offheap.Available()/3), func(p build.Part) error {
		if err := r.Job.Err(); err != nil {
			return err
		}
		return w.AppendRows(file.Rows{
			Indptr: p.Rows.Indptr, Indices: p.Rows.Indices, Biases: p.Rows.Biases, Scales: p.Rows.Scales,
		})
	})
	if err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return file.Open(folder)
}
