package file

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/parallel"
)

// Save writes a graph to a folder: a .npy file per array, which numpy.load can read or map, and graph.json. The job counts
// bytes, SavedBytes in total.
//
// The folder appears, or replaces an older graph, in one step when it is complete. After an error or an interruption the
// target is unchanged.
func Save(g *graph.Graph, folder string, j *job.Job) error {
	if err := g.Validate(); err != nil {
		return err
	}
	r, err := startReplacement(folder)
	if err != nil {
		return unsaved(folder, err)
	}
	defer r.Abandon()
	err = parallel.Do(1, func(int) error { // turns the fault of a mapped graph whose file was truncated into an error
		return saveArrays(g, r.dir, j)
	})
	if err = g.Blame(err); err == nil {
		err = r.Commit()
	}
	return unsaved(folder, err)
}

// SavedBytes returns the number of bytes that Save writes.
func SavedBytes(g *graph.Graph) (n int64) {
	for _, a := range arrays {
		n += int64(len(a.data(g)))
	}
	return n
}

// unsaved replaces the temporary path in an error by the folder, and adds that the folder is unchanged.
func unsaved(folder string, err error) error {
	if system := (*os.PathError)(nil); errors.As(err, &system) {
		system.Path = folder
		return fmt.Errorf("%s was not saved and is unchanged: %w", folder, err)
	}
	return err
}

// saveArrays writes all arrays of a graph and then the record.
func saveArrays(g *graph.Graph, dir string, j *job.Job) error {
	rec, err := writeArrays(g, dir, j)
	if err != nil {
		return err
	}
	return rec.save(dir)
}

// writeArrays writes all arrays of a graph and returns the record to write.
func writeArrays(g *graph.Graph, dir string, j *job.Job) (*record, error) {
	c := countsOf(g)
	rec := &record{
		Vertices: c.vertices, Edges: c.edges, MaxDegree: g.MaxDegree(), Sinks: g.HasSinks(), Ends: int64(g.Ends),
		NoEdgeIDs: g.NoEdgeIDs, Arrays: map[string]stored{}, LabelNames: g.LabelNames, TimeUnit: g.TimeUnit,
	}
	if g.NextID > 0 {
		end, err := g.EdgeIDsEnd(graph.Options{})
		if err != nil {
			return nil, err
		}
		if g.NextID > end { // otherwise the largest id tells it
			rec.NextID = int64(g.NextID)
		}
	}
	for i := range arrays {
		a := &arrays[i]
		data := a.data(g)
		if data == nil {
			continue
		}
		var err error
		if rec.Arrays[a.name], err = writeNpy(dir, a, data, j); err != nil {
			return nil, err
		}
	}
	return rec, nil
}

// writeNpy writes the file of an array and returns its entry for the record.
func writeNpy(dir string, a *array, data []byte, j *job.Job) (stored, error) {
	w, err := createNpy(dir, a, j)
	if err != nil {
		return stored{}, err
	}
	if err := w.Write(data); err != nil {
		w.file.Close()
		return stored{}, err
	}
	return w.Finish()
}

// save writes the record to a folder and syncs it to disk.
func (r *record) save(dir string) error {
	text, err := r.text()
	if err != nil {
		return err
	}
	return writeSynced(filepath.Join(dir, recordName), text)
}

// writeSynced writes a new file and syncs it to disk.
func writeSynced(path string, text []byte) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o666)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err == nil {
		err = f.Sync()
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	return err
}
