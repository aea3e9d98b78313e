package pybind

import (
	"encoding/json"

	"gonextdoor/gonextdoor/file"
)

var heteroWriters registry[*file.HeteroWriter]

// HeteroWriterNew starts to write the folder of a heterogeneous graph.
func HeteroWriterNew(folder string) (handle int64, err error) {
	defer guard(&err)
	w, err := file.NewHeteroWriter(folder)
	if err != nil {
		return 0, err
	}
	return heteroWriters.add(w), nil
}

// HeteroWriterPath returns the temporary folder to which the caller saves the graphs of relations and the times of vertices.
func HeteroWriterPath(handle int64) (path string, err error) {
	defer guard(&err)
	w, err := heteroWriters.get(handle)
	if err != nil {
		return "", err
	}
	return w.Path(), nil
}

// HeteroWriterCommit moves the folder to its target. record has the types and relations of a file.HeteroRecord as JSON.
func HeteroWriterCommit(handle int64, record string) (known bool, err error) {
	defer guard(&err)
	w, err := heteroWriters.get(handle)
	if err != nil {
		return false, err
	}
	var r file.HeteroRecord
	if err := json.Unmarshal([]byte(record), &r); err != nil {
		return false, err
	}
	return true, w.Commit(r)
}

// DropHeteroWriter removes what was written, unless it was committed.
func DropHeteroWriter(handle int64) (known bool, err error) {
	defer guard(&err)
	w, known := heteroWriters.drop(handle)
	if known {
		w.Abandon()
	}
	return known, nil
}

// CheckRecord returns an error for the text of a record file, graph.json, partition.json or hetero.json, that is damaged or
// contradicts itself. path is named in errors.
func CheckRecord(name string, path string, text string) (checked bool, err error) {
	defer guard(&err)
	return true, file.CheckRecord(name, path, text)
}

// HeteroRecord returns the record of the folder of a heterogeneous graph as JSON.
func HeteroRecord(folder string) (record string, err error) {
	defer guard(&err)
	r, err := file.OpenHetero(folder)
	if err != nil {
		return "", err
	}
	text, err := json.Marshal(r)
	return string(text), err
}
