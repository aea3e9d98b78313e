package file

import (
	"path/filepath"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/refuse"
)

// graphFolder is an open graph folder with the mappings of its arrays.
type graphFolder struct {
	path   string
	record *record
	maps   []mapping
}

// graph maps all arrays and creates a graph from them.
func (f *graphFolder) graph() (*graph.Graph, error) {
	var all []graph.NamedArray
	var files []graph.File
	for i := range arrays {
		a := &arrays[i]
		if s, ok := f.record.Arrays[a.name]; !ok || s.Dtype[1:] != a.code {
			continue
		}
		m, err := mapArray(f.path, a, a.length(f.record.counts()))
		if err != nil {
			return nil, err
		}
		f.maps = append(f.maps, m)
		all = append(all, a.mapped(m))
		sum, err := f.record.Arrays[a.name].checksum()
		if err != nil {
			return nil, err
		}
		described, err := m.graphFile(sum)
		if err != nil {
			return nil, err
		}
		files = append(files, described)
	}
	return graph.FromArrays(all, graph.Summary{
		MaxDegree: f.record.MaxDegree, HasSinks: f.record.Sinks, Ends: int(f.record.Ends), NoEdgeIDs: f.record.NoEdgeIDs, Files: files,
		LabelNames: f.record.LabelNames, TimeUnit: f.record.TimeUnit, NextID: uint64(f.record.NextID),
	})
}

// mapArray maps the file of an array in a folder. Its header must say that it has length elements.
func mapArray(folder string, a *array, length int64) (m mapping, err error) {
	path := filepath.Join(folder, a.name+".npy")
	file, size, err := openRegular(path)
	if err != nil {
		return mapping{}, err
	}
	defer func() {
		if err != nil {
			file.Close() // on success the mapping owns it
		}
	}()
	head, err := readNpy(path, file, size)
	if err != nil {
		return mapping{}, err
	}
	if err := head.check(path, a.code, a.width, length, size); err != nil {
		return mapping{}, err
	}
	if head.offset%a.width != 0 {
		return mapping{}, refuse.Format("%s: the data begin at byte %d, which is not aligned", path, head.offset)
	}
	var tail []byte
	if a.name == "indices" {
		tail = []byte{0xff, 0xff, 0xff, 0xff} // graph.None
	}
	m, err = mapFile(file, head.offset, length*a.width, tail)
	m.name = a.name
	return m, err
}

// Close ends all mappings.
func (f *graphFolder) Close() {
	for _, m := range f.maps {
		m.Close()
	}
}
