package file

import (
	"unsafe"

	"gonextdoor/gonextdoor/graph"
)

// counts are the numbers that the lengths of a graph's arrays follow from.
type counts struct{ vertices, edges, text int64 }

func perVertex(c counts) int64 { return c.vertices }
func perEdge(c counts) int64   { return c.edges }
func perByte(c counts) int64   { return c.text }
func fences(c counts) int64    { return c.vertices + 1 }

// array is one of the arrays that a graph may have, each a file of its folder.
type array struct {
	name   string
	dtype  string // with the byte order left out, which is always little-endian
	width  int64  // bytes of an element
	length func(counts) int64
	get    func(*graph.Graph) []byte // nil: the graph does not have it
	put    func(*graph.Graph, []byte)
}

// arrays is the table of all arrays. Those of the same name are kept in one width or the other.
var arrays = []array{
	of("indptr", "u8", fences, func(g *graph.Graph) *[]uint64 { return &g.Indptr }),
	of("indices", "u4", perEdge, func(g *graph.Graph) *[]uint32 { return &g.Indices }),
	of("edge_ids", "u4", perEdge, func(g *graph.Graph) *[]uint32 { return &g.EdgeIDs }),
	of("edge_ids", "u8", perEdge, func(g *graph.Graph) *[]uint64 { return &g.EdgeIDs64 }),
	of("biases", "u4", perEdge, func(g *graph.Graph) *[]uint32 { return &g.Biases }),
	of("scales", "i2", perVertex, func(g *graph.Graph) *[]int16 { return &g.Scales }),
	of("labels", "i4", perEdge, func(g *graph.Graph) *[]int32 { return &g.Labels }),
	of("times", "i8", perEdge, func(g *graph.Graph) *[]int64 { return &g.Times }),
	of("names_ints", "i8", perVertex, func(g *graph.Graph) *[]int64 { return &g.Names.Ints }),
	of("names_text", "u1", perByte, func(g *graph.Graph) *[]byte { return &g.Names.Text }),
	of("names_offsets", "u8", fences, func(g *graph.Graph) *[]uint64 { return &g.Names.Offsets }),
}

func of[T any](name, dtype string, length func(counts) int64, field func(*graph.Graph) *[]T) array {
	width := int64(unsafe.Sizeof(*new(T)))
	return array{
		name: name, dtype: dtype, width: width, length: length,
		get: func(g *graph.Graph) []byte {
			s := *field(g)
			if s == nil {
				return nil
			}
			return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), len(s)*int(width))
		},
		put: func(g *graph.Graph, b []byte) {
			all := unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), cap(b)/int(width))
			*field(g) = all[:len(b)/int(width)] // what is behind the end stays within reach
		},
	}
}

// arrayOf gives the entry of the table, or nil.
func arrayOf(name, dtype string) *array {
	for i := range arrays {
		if arrays[i].name == name && arrays[i].dtype == dtype {
			return &arrays[i]
		}
	}
	return nil
}

func countsOf(g *graph.Graph) counts {
	return counts{int64(g.NumVertices()), int64(g.NumEdges()), int64(len(g.Names.Text))}
}
