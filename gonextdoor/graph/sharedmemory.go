package graph

import (
	"unsafe"

	"gonextdoor/gonextdoor/refuse"
)

// NamedArray is an array of a graph, by address.
type NamedArray struct {
	Name    string
	Dtype   string
	Address uintptr
	Length  int // in elements; that of indices is NumEdges + 1, because of the None after the last edge
	Bytes   int // in total, including elements after the last
}

// Summary holds the properties of a graph that FromArrays needs in addition to the arrays.
type Summary struct {
	MaxDegree uint64
	HasSinks  bool
	Ends      int    `json:",omitempty"` // as Graph.Ends
	NoEdgeIDs bool   `json:",omitempty"` // as Graph.NoEdgeIDs
	Checked   bool   // the arrays were validated
	Files     []File `json:",omitempty"` // files from which the arrays are mapped

	LabelNames []string `json:",omitempty"` // as Graph.LabelNames
	TimeUnit   string   `json:",omitempty"` // as Graph.TimeUnit
	NextID     uint64   `json:",omitempty"` // as Graph.NextID
}

// Summary returns the summary of the graph.
func (g *Graph) Summary() Summary {
	return Summary{
		MaxDegree: g.maxDegree, HasSinks: g.hasSinks, Ends: g.Ends, NoEdgeIDs: g.NoEdgeIDs, Checked: g.valid(), Files: g.mapped.files,
		LabelNames: g.LabelNames, TimeUnit: g.TimeUnit, NextID: g.NextID,
	}
}

// field is an array of a graph that can be exported and imported.
type field struct {
	name     string
	exported func(g *Graph) (NamedArray, bool)      // false: the graph does not have the array
	imported func(g *Graph, a NamedArray) (ok bool) // false: wrong dtype or length
}

// fields lists all arrays of a graph. Two entries of one name are alternatives of different dtype.
var fields = []field{
	fieldOf("indptr", func(g *Graph) *[]uint64 { return &g.Indptr }),
	{"indices", exportIndices, importIndices},
	fieldOf("edge_ids", func(g *Graph) *[]uint32 { return &g.EdgeIDs }),
	fieldOf("edge_ids", func(g *Graph) *[]uint64 { return &g.EdgeIDs64 }),
	fieldOf("biases", func(g *Graph) *[]uint32 { return &g.Biases }),
	fieldOf("scales", func(g *Graph) *[]int16 { return &g.Scales }),
	fieldOf("alias", func(g *Graph) *[]uint32 { return &g.Alias }),
	fieldOf("labels", func(g *Graph) *[]int32 { return &g.Labels }),
	fieldOf("times", func(g *Graph) *[]int64 { return &g.Times }),
	fieldOf("names", func(g *Graph) *[]int64 { return &g.Names.Ints }),
	fieldOf("names_text", func(g *Graph) *[]uint8 { return &g.Names.Text }),
	fieldOf("names_offsets", func(g *Graph) *[]uint64 { return &g.Names.Offsets }),
}

// fieldOf returns the field of an array with elements of type T.
func fieldOf[T Number](name string, of func(*Graph) *[]T) field {
	dtype := dtypeOf[T]()
	return field{
		name: name,
		exported: func(g *Graph) (NamedArray, bool) {
			s := *of(g)
			a := Locate(name, s)
			a.Dtype = dtype
			return a, s != nil
		},
		imported: func(g *Graph, a NamedArray) bool {
			if a.Dtype == dtype {
				*of(g) = unsafe.Slice((*T)(pointer(a.Address)), a.Length)
			}
			return a.Dtype == dtype
		},
	}
}

// exportIndices exports Indices with the None after the last edge.
func exportIndices(g *Graph) (NamedArray, bool) {
	a := Locate("indices", g.Indices)
	a.Dtype, a.Length, a.Bytes = "uint32", a.Length+1, 4*(a.Length+1)
	return a, true
}

// importIndices is the reverse of exportIndices.
func importIndices(g *Graph, a NamedArray) bool {
	if a.Dtype == "uint32" && a.Length > 0 {
		g.Indices = unsafe.Slice((*uint32)(pointer(a.Address)), a.Length)[:a.Length-1]
	}
	return a.Dtype == "uint32" && a.Length > 0
}

// empty is the address of arrays of length 0, since a nil slice means that the array does not exist.
var empty uint64

// pointer converts an address outside the Go heap.
func pointer(address uintptr) unsafe.Pointer {
	if address == 0 {
		return unsafe.Pointer(&empty)
	}
	return *(*unsafe.Pointer)(unsafe.Pointer(&address))
}

// Arrays returns the arrays of the graph by address, for FromArrays in this or another process. They are valid until Close.
func (g *Graph) Arrays() []NamedArray {
	var all []NamedArray
	for _, f := range fields {
		if a, ok := f.exported(g); ok {
			all = append(all, a)
		}
	}
	return all
}

// FromArrays creates a graph from arrays in memory: those that Arrays returned before a fork, or those of mapped files. It
// copies nothing. The caller keeps the arrays alive; Close only calls the functions registered with OnClose. Unless n.Checked
// is set, the first Validate reads all arrays.
func FromArrays(arrays []NamedArray, n Summary) (*Graph, error) {
	g := &Graph{
		maxDegree: n.MaxDegree, hasSinks: n.HasSinks, Ends: n.Ends, NoEdgeIDs: n.NoEdgeIDs, LabelNames: n.LabelNames, TimeUnit: n.TimeUnit,
		NextID: n.NextID,
	}
	for _, a := range arrays {
		known, fits := false, false
		for _, f := range fields {
			if f.name == a.Name {
				known, fits = true, fits || a.Length >= 0 && f.imported(g, a)
			}
		}
		if !known {
			return nil, refuse.Format("array %q: a graph has no such array", a.Name)
		}
		if !fits {
			return nil, refuse.Format("array %q of dtype %s and length %d: a graph has no such array", a.Name, a.Dtype, a.Length)
		}
	}
	if !n.Checked {
		g.check = func(o Options) error { return scan(g, o) }
	}
	if err := checkLengths(g); err != nil {
		return nil, err
	}
	g.watch(n.Files)
	return g, nil
}

// OnClose registers a function that Close calls after those registered earlier. A nil f is ignored. It may be called from
// several goroutines.
func (g *Graph) OnClose(f func()) {
	if f != nil {
		g.closing.Lock()
		defer g.closing.Unlock()
		g.closers = append(g.closers, f)
	}
}

// checkLengths returns an error if the lengths of the arrays do not match.
func checkLengths(g *Graph) error {
	if len(g.Indptr) == 0 || g.Indices == nil {
		return refuse.Format("the graph lacks the arrays indptr and indices")
	}
	if g.NumVertices() > MaxVertices {
		return refuse.Format("indptr has %d elements: expected at most %d", len(g.Indptr), MaxVertices+1)
	}
	n, m := g.NumVertices(), g.NumEdges()
	for _, x := range []struct {
		name      string
		given     bool
		got, want int
	}{
		{"edge_ids", g.EdgeIDs != nil, len(g.EdgeIDs), m}, {"edge_ids", g.EdgeIDs64 != nil, len(g.EdgeIDs64), m},
		{"biases", g.Biases != nil, len(g.Biases), m}, {"scales", g.Biases != nil || g.Scales != nil, len(g.Scales), n},
		{"alias", g.Alias != nil, len(g.Alias), AliasWords * (m + 1)}, {"labels", g.Labels != nil, len(g.Labels), m}, {"times", g.Times != nil, len(g.Times), m},
		{"names", g.Names.Ints != nil, len(g.Names.Ints), n}, {"names_offsets", g.Names.Offsets != nil, len(g.Names.Offsets), n + 1},
	} {
		if x.given && x.got != x.want {
			return refuse.Format("%s has %d elements: expected %d for %d vertices and %d edges", x.name, x.got, x.want, n, m)
		}
	}
	return nil
}

// Locate describes an array by its address. The result has no Name if the array is nil.
func Locate[T any](name string, s []T) NamedArray {
	if s == nil {
		return NamedArray{}
	}
	var z T
	return NamedArray{
		Name: name, Address: uintptr(unsafe.Pointer(unsafe.SliceData(s))), Length: len(s),
		Bytes: cap(s) * int(unsafe.Sizeof(z)), // the capacity includes the sentinel slot of alias tables
	}
}

// Located returns the array that Locate described. The memory still belongs to its owner.
func Located[T any](a NamedArray) []T {
	var z T
	return unsafe.Slice((*T)(pointer(a.Address)), max(a.Length, a.Bytes/int(unsafe.Sizeof(z))))[:a.Length]
}
