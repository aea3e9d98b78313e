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
	dtype  string // as graph has it
	code   string // as npy has it, but for the byte order, which is always little-endian
	width  int64  // bytes of an element
	length func(counts) int64
}

// arrays is the table of all arrays. Those of the same name are kept in one width or the other.
var arrays = []array{
	{"indptr", "uint64", "u8", 8, fences},
	{"indices", "uint32", "u4", 4, perEdge},
	{"edge_ids", "uint32", "u4", 4, perEdge},
	{"edge_ids", "uint64", "u8", 8, perEdge},
	{"biases", "uint32", "u4", 4, perEdge},
	{"scales", "int16", "i2", 2, perVertex},
	{"labels", "int32", "i4", 4, perEdge},
	{"times", "int64", "i8", 8, perEdge},
	{"names", "int64", "i8", 8, perVertex},
	{"names_text", "uint8", "u1", 1, perByte},
	{"names_offsets", "uint64", "u8", 8, fences},
}

// arrayOf returns the entry of the table, or nil.
func arrayOf(name, code string) *array {
	for i := range arrays {
		if arrays[i].name == name && arrays[i].code == code {
			return &arrays[i]
		}
	}
	return nil
}

// data returns the bytes of the array in a graph; nil: the graph does not have it.
func (a *array) data(g *graph.Graph) []byte {
	for _, n := range g.Arrays() {
		if n.Name == a.name && n.Dtype == a.dtype {
			length := n.Length
			if a.name == "indices" {
				length-- // the None after the last is not part of the file
			}
			return unsafe.Slice((*byte)(*(*unsafe.Pointer)(unsafe.Pointer(&n.Address))), length*int(a.width))
		}
	}
	return nil
}

// mapped returns the array in the form that graph.FromArrays takes.
func (a *array) mapped(m mapping) graph.NamedArray {
	n := graph.NamedArray{
		Name: a.name, Dtype: a.dtype, Address: uintptr(unsafe.Pointer(unsafe.SliceData(m.array()))), Length: int(m.bytes / a.width),
	}
	if a.name == "indices" {
		n.Length++
	}
	return n
}

func countsOf(g *graph.Graph) counts {
	return counts{int64(g.NumVertices()), int64(g.NumEdges()), int64(len(g.Names.Text))}
}
