package file

import (
	"os"
	"path/filepath"
	"runtime/debug"

	"golang.org/x/sys/unix"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/refuse"
)

// folder is an open graph folder with the mappings of its arrays.
type folder struct {
	path   string
	record *record
	maps   []mapping
}

// Open maps the graph of a folder that Save or Writer wrote. It reads the record and the headers only, so its time does not
// depend on the size of the graph. The first Validate checks the content of the arrays, once. The graph owns the mappings,
// which end with Graph.Close.
func Open(path string) (*graph.Graph, error) {
	r, err := readRecord(path)
	if err != nil {
		return nil, asPartitioned(path, err)
	}
	if r.Ends > r.Vertices {
		return nil, refuse.Format("%s has a part of a graph, whose edges lead to vertices of other parts: open the folder above it "+
			"with gonextdoor.partition.open", path)
	}
	return openRecord(path, r)
}

// openRecord maps the graph of a folder whose record has been read.
func openRecord(path string, r *record) (g *graph.Graph, err error) {
	if path, err = filepath.Abs(path); err != nil { // the working directory may change before Validate
		return nil, err
	}
	f := &folder{path: path, record: r}
	if g, err = f.graph(); err != nil {
		f.Close()
		return nil, err
	}
	g.CheckWith(func(opts graph.Options, scan func() error) error { return f.check(g, opts, scan) })
	g.OnClose(f.Close)
	return g, nil
}

// graph maps all arrays and creates a graph from them.
func (f *folder) graph() (*graph.Graph, error) {
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
		MaxDegree: f.record.MaxDegree, HasSinks: f.record.Sinks, Ends: int(f.record.Ends), Files: files,
	})
}

// openRegular opens a file of a folder for reading and returns its size in bytes. It rejects all but regular files: opening a
// named pipe would wait for a writer, and devices cannot be mapped.
func openRegular(path string) (*os.File, int64, error) {
	file, err := os.OpenFile(path, os.O_RDONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, 0, err
	}
	st, err := file.Stat()
	if err == nil && !st.Mode().IsRegular() {
		err = refuse.Format("%s is %s: expected a regular file", path, kindOf(st.Mode()))
	}
	if err != nil {
		file.Close()
		return nil, 0, err
	}
	return file, st.Size(), nil
}

// kindOf describes a file that is not regular.
func kindOf(mode os.FileMode) string {
	switch {
	case mode.IsDir():
		return "a folder"
	case mode&os.ModeNamedPipe != 0:
		return "a named pipe"
	case mode&os.ModeSocket != 0:
		return "a socket"
	default:
		return "a device"
	}
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
func (f *folder) Close() {
	for _, m := range f.maps {
		m.Close()
	}
}

// catchFault runs f, which reads a mapped file, and returns an error if a page is missing because the file was truncated.
func catchFault(f func()) (err error) {
	previous := debug.SetPanicOnFault(true)
	defer func() {
		debug.SetPanicOnFault(previous)
		if p := recover(); p != nil {
			err = refuse.Format("a memory-mapped file cannot be read: %v", p)
		}
	}()
	f()
	return nil
}
