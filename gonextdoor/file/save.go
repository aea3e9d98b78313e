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

// Save writes a graph into a folder: a .npy file for each array, which numpy.load reads and maps, and graph.json. The
// job counts bytes, SavedBytes in all.
//
// The folder appears when it is complete; a graph that was there is replaced in the same moment. After an error or an
// interruption everything is as it was before.
func Save(g *graph.Graph, folder string, j *job.Job) error {
	if err := g.Validate(); err != nil {
		return err
	}
	r, err := startReplacement(folder)
	if err != nil {
		return unsaved(folder, err)
	}
	defer r.Abandon()
	err = parallel.Do(1, func(int) error { // a mapped graph may fault, if somebody cut its file
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

// unsaved returns an error that names the folder and its state; the caller does not know the temporary one.
func unsaved(folder string, err error) error {
	if system := (*os.PathError)(nil); errors.As(err, &system) {
		system.Path = folder
		return fmt.Errorf("%s was not saved, and is as it was before: %w", folder, err)
	}
	return err
}

func saveArrays(g *graph.Graph, dir string, j *job.Job) error {
	c := countsOf(g)
	rec := record{Vertices: c.vertices, Edges: c.edges, MaxDegree: g.MaxDegree(), Sinks: g.HasSinks(), Arrays: map[string]stored{}}
	for i := range arrays {
		a := &arrays[i]
		data := a.data(g)
		if data == nil {
			continue
		}
		w, err := createNpy(dir, a, j)
		if err != nil {
			return err
		}
		if err := w.Write(data); err != nil {
			w.file.Close()
			return err
		}
		if rec.Arrays[a.name], err = w.Finish(); err != nil {
			return err
		}
	}
	return rec.save(dir)
}

// save writes the record.
func (r *record) save(dir string) error {
	text, err := r.text()
	if err != nil {
		return err
	}
	f, err := os.OpenFile(filepath.Join(dir, recordName), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o666)
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
