package file

import (
	"unsafe"

	"gonextdoor/gonextdoor/graph"
)

// counts are the numbers that determine the lengths of a graph's arrays; text is the bytes of all vertex names.
type counts struct{ vertices, edges, text int64 }

func perVertex(c counts) int64       { return c.vertices }
func perEdge(c counts) int64         { return c.edges }
func perByte(c counts) int64         { return c.text }
func perAliasWord(c counts) int64    { return graph.AliasWords * (c.edges + 1) }
func perVertexAndEnd(c counts) int64 { return c.vertices + 1 }

// array describes an array that a graph may have. In a folder it is the file NAME.npy.
type array struct {
	name   string
	dtype  string             // as in graph.NamedArray
	code   string             // as in a .npy header, without the byte order, which is always little-endian
	width  int64              // bytes per element
	length func(counts) int64 // elements
}

// arrays is the table of all arrays. Two entries of one name are alternatives of different width.
var arrays = []array{
	{"indptr", "uint64", "u8", 8, perVertexAndEnd},
	{"indices", "uint32", "u4", 4, perEdge},
	{"edge_ids", "uint32", "u4", 4, perEdge},
	{"edge_ids", "uint64", "u8", 8, perEdge},
	{"biases", "uint32", "u4", 4, perEdge},
	{"scales", "int16", "i2", 2, perVertex},
	{"alias", "uint32", "u4", 4, perAliasWord},
	{"labels", "int32", "i4", 4, perEdge},
	{"times", "int64", "i8", 8, perEdge},
	{"names", "int64", "i8", 8, perVertex},
	{"names_text", "uint8", "u1", 1, perByte},
	{"names_offsets", "uint64", "u8", 8, perVertexAndEnd},
}

// arrayOf returns the entry for a name and dtype code, or nil if there is none.
func arrayOf(name, code string) *array {
	for i := range arrays {
		if arrays[i].name == name && arrays[i].code == code {
			return &arrays[i]
		}
	}
	return nil
}

// data returns the bytes of the array in a graph, without a copy, or nil if the graph does not have the array.
func (a *array) data(g *graph.Graph) []byte {
	for _, n := range g.Arrays() {
		if n.Name == a.name && n.Dtype == a.dtype {
			length := n.Length
			if a.name == "indices" {
				length-- // the sentinel graph.None after the last edge is not stored
			}
			return unsafe.Slice((*byte)(*(*unsafe.Pointer)(unsafe.Pointer(&n.Address))), length*int(a.width))
		}
	}
	return nil
}

// countsOf returns the counts of a graph.
func countsOf(g *graph.Graph) counts {
	return counts{int64(g.NumVertices()), int64(g.NumEdges()), int64(len(g.Names.Text))}
}

// bytesOf returns the memory of a slice.
func bytesOf[T graph.Number](s []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), len(s)*int(unsafe.Sizeof(*new(T))))
}
