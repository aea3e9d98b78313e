package file

import (
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/build"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/offheap"
)

// minBudget is the memory budget of a part of a generated graph, in bytes, if little memory is free.
const minBudget = 64 << 20

// Generate creates an R-MAT graph. If folder is "", the graph is in memory. Otherwise Generate writes it to the folder in
// parts, each of which takes up to a third of the available memory, and returns the mapped folder. The caller must call Close
// on the graph.
func Generate(r build.RMAT, folder string) (*graph.Graph, error) {
	if folder == "" {
		return r.Graph()
	}
	if err := r.Check(); err != nil {
		return nil, err
	}
	var uncounted *job.Job // r.Job counts edges, but a writer would add bytes to it
	w, err := NewWriter(folder, 1<<r.Scale, uncounted)
	if err != nil {
		return nil, err
	}
	defer w.Abandon()
	err = r.Parts(max(minBudget, offheap.Available()/3), func(p build.Part) error {
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
