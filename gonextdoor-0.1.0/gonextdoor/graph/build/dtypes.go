package build

import (
	"fmt"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/refuse"
)

// typed holds the functions that read arrays of one dtype. Each reads a run of elements, so that a dtype costs one indirect
// call per run, not per element.
type typed struct {
	integer  bool
	vertices func(a graph.Array, lo int, dst []uint32, limit uint64) int // see vertices; integers only
	ints     func(a graph.Array, lo int, dst []int64) int                // see ints; integers only
	floats   func(a graph.Array, at graph.EdgeOrder, dst []float64)
	int32s   func(a graph.Array, at graph.EdgeOrder, dst []int32) // integers only
	int64s   func(a graph.Array, at graph.EdgeOrder, dst []int64) // integers only
	text     func(a graph.Array, i int) string
}

// dtypes are the supported dtypes.
var dtypes = map[string]typed{
	"int8": integers[int8](), "int16": integers[int16](), "int32": integers[int32](), "int64": integers[int64](),
	"uint8": integers[uint8](), "uint16": integers[uint16](), "uint32": integers[uint32](), "uint64": integers[uint64](),
	"float32": floats[float32](), "float64": floats[float64](),
}

// floats returns the functions that all dtypes have.
func floats[T graph.Number]() typed {
	return typed{
		floats: func(a graph.Array, at graph.EdgeOrder, dst []float64) { gather(graph.View[T](a), at, dst) },
		text:   func(a graph.Array, i int) string { return fmt.Sprint(graph.View[T](a)[i]) },
	}
}

// integers returns the functions of an integer dtype.
func integers[T graph.Integer]() typed {
	t := floats[T]()
	t.integer = true
	t.vertices = func(a graph.Array, lo int, dst []uint32, limit uint64) int {
		for i, x := range graph.View[T](a)[lo:][:len(dst)] {
			if uint64(x) >= limit { // true for negative numbers as well
				return i
			}
			dst[i] = uint32(x)
		}
		return -1
	}
	t.int32s = func(a graph.Array, at graph.EdgeOrder, dst []int32) { gather(graph.View[T](a), at, dst) }
	t.int64s = func(a graph.Array, at graph.EdgeOrder, dst []int64) { gather(graph.View[T](a), at, dst) }
	t.ints = func(a graph.Array, lo int, dst []int64) int {
		for i, x := range graph.View[T](a)[lo:][:len(dst)] {
			if dst[i] = int64(x); x > 0 && dst[i] < 0 {
				return i
			}
		}
		return -1
	}
	return t
}

// vertices reads len(dst) elements from lo on. It returns the index in dst of the first that is not in [0, limit), or -1.
func vertices(a graph.Array, lo int, dst []uint32, limit uint64) int {
	return dtypes[a.Dtype].vertices(a, lo, dst, limit)
}

// ints reads len(dst) elements from lo on. It returns the index in dst of the first that is not an int64, or -1.
func ints(a graph.Array, lo int, dst []int64) int { return dtypes[a.Dtype].ints(a, lo, dst) }

// text formats an element, for error messages.
func text(a graph.Array, i int) string { return dtypes[a.Dtype].text(a, i) }

// checkIntegers rejects an array of anything but integers.
func checkIntegers(a graph.Array, name string) error {
	if a.Given() && !dtypes[a.Dtype].integer {
		advice := ""
		if known, ok := dtypes[a.Dtype]; ok && !known.integer {
			advice = "; if all values are whole numbers, pass " + name + ".astype(np.int64)"
		}
		return refuse.Type("%s: dtype %s, expected an integer dtype of at most 64 bits%s", name, a.Dtype, advice)
	}
	return nil
}

// checkNumbers rejects an array of anything but integers and floats.
func checkNumbers(a graph.Array, name string) error {
	if _, ok := dtypes[a.Dtype]; a.Given() && !ok {
		return refuse.Type("%s: dtype %s, expected float32, float64 or an integer dtype", name, a.Dtype)
	}
	return nil
}

// checkLen rejects an array, if given, of a length other than n.
func checkLen(a graph.Array, name string, n int, like string) error {
	if a.Given() && a.Len != n {
		return refuse.Value("%s has %d elements, but %s has %d: expected the same number", name, a.Len, like, n)
	}
	return nil
}

// gather copies the elements of src at the indices of at to dst.
func gather[S, D graph.Number](src []S, at graph.EdgeOrder, dst []D) {
	switch {
	case at.Narrow != nil:
		for i, p := range at.Narrow[:len(dst)] {
			dst[i] = D(src[p])
		}
	case at.Wide != nil:
		for i, p := range at.Wide[:len(dst)] {
			dst[i] = D(src[p])
		}
	default:
		for i, x := range src[at.First:][:len(dst)] {
			dst[i] = D(x)
		}
	}
}
