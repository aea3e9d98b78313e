package file

import "path/filepath"

// HeteroWriter writes the folder of a heterogeneous graph. Like Save, it makes the folder appear when it is complete. Call Abandon
// at the end.
type HeteroWriter struct {
	target string
	to     *replacement
}

// NewHeteroWriter starts a folder.
func NewHeteroWriter(folder string) (*HeteroWriter, error) {
	r, err := startReplacement(folder)
	if err != nil {
		return nil, unsaved(folder, err)
	}
	return &HeteroWriter{folder, r}, nil
}

// Path returns the temporary folder, to which the caller saves the graph of each relation and writes the times of the vertices.
func (w *HeteroWriter) Path() string { return w.to.dir }

// Commit completes the folder with a record of its types, relations and unit of times, and moves it to its target.
func (w *HeteroWriter) Commit(of HeteroRecord) error {
	r := HeteroRecord{Types: of.Types, Relations: of.Relations, TimeUnit: of.TimeUnit}
	err := r.describe(w.to.dir)
	if err != nil {
		return unsaved(w.target, err)
	}
	text, err := r.text()
	if err == nil {
		err = r.check(heteroName)
	}
	if err == nil {
		err = writeSynced(filepath.Join(w.to.dir, heteroName), text)
	}
	if err == nil {
		err = w.to.Commit()
	}
	return unsaved(w.target, err)
}

// Abandon removes everything that was written; the target stays as it was. After Commit it does nothing.
func (w *HeteroWriter) Abandon() { w.to.Abandon() }
