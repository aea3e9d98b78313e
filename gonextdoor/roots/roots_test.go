package roots_test

import (
	"slices"
	"strings"
	"testing"
	"unsafe"

	"gonextdoor/gonextdoor/graph/graphtest"
	"gonextdoor/gonextdoor/refuse"
	"gonextdoor/gonextdoor/roots"
)

func TestVertices(t *testing.T) {
	g := graphtest.Star(10, false) // 11 vertices
	defer g.Close()
	long := make([]int64, 600_000)
	long[599_999], long[300_000] = -1, 11
	for _, c := range []struct {
		err  error
		text string
	}{
		{second(roots.Vertices(g, "roots", long, 2)), "roots[300000] = 11: "},
		{second(roots.Vertices(g, "roots", []int8{0, -3}, 2)), "roots[1] = -3: "},
		{second(roots.Vertices(g, "x", []uint64{1 << 63}, 2)), "x[0] = 9223372036854775808: "},
		{second(roots.Vertices(g, "x", []uint32{10, 11}, 2)), "x[1] = 11: "},
	} {
		if refuse.KindOf(c.err) != refuse.KindIndex || !strings.HasPrefix(c.err.Error(), c.text) {
			t.Errorf("got %v, expected %s...", c.err, c.text)
		}
	}
	if v, err := roots.Vertices(g, "roots", []uint16{0, 10}, 2); err != nil || !slices.Equal(v, []uint32{0, 10}) {
		t.Errorf("got %v, %v", v, err)
	}
}

func TestCopyKindFromANumberOn(t *testing.T) {
	values, into := []int16{7, 3, 11, 5}, make([]uint32, 2)
	at := unsafe.Pointer(unsafe.SliceData(values))
	err := roots.CopyKind(11, "roots", at, -2, 1, into, 2)
	if refuse.KindOf(err) != refuse.KindIndex || !strings.HasPrefix(err.Error(), "roots[2] = 11: ") {
		t.Errorf("got %v", err)
	}
	if err := roots.CopyKind(12, "roots", at, -2, 2, into, 2); err != nil || !slices.Equal(into, []uint32{11, 5}) {
		t.Errorf("got %v, %v", into, err)
	}
}

func second[T any](_ T, err error) error { return err }
