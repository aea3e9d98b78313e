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
	err := roots.CopyKind(11, "roots", at, -2, 1, into, 2, false)
	if refuse.KindOf(err) != refuse.KindIndex || !strings.HasPrefix(err.Error(), "roots[2] = 11: ") {
		t.Errorf("got %v", err)
	}
	if err := roots.CopyKind(12, "roots", at, -2, 2, into, 2, false); err != nil || !slices.Equal(into, []uint32{11, 5}) {
		t.Errorf("got %v, %v", into, err)
	}
}

// Many values are written in pieces by several threads; those in pinned memory past the caches, also if the array is not aligned.
func TestCopyKindOfManyValues(t *testing.T) {
	values := make([]int64, 200_003)
	for i := range values {
		values[i] = int64(i * 7 % 200_003)
	}
	at, into := unsafe.Pointer(unsafe.SliceData(values)), make([]uint32, len(values)+1)[1:]
	for _, pinned := range []bool{false, true} {
		clear(into)
		if err := roots.CopyKind(200_003, "roots", at, -8, 0, into, 3, pinned); err != nil {
			t.Fatal(err)
		}
		for i, v := range into {
			if int64(v) != values[i] {
				t.Fatalf("pinned %v: value %d is %d, expected %d", pinned, i, v, values[i])
			}
		}
		values[150_000], values[190_000] = -1, 1<<40
		err := roots.CopyKind(200_003, "roots", at, -8, 0, into, 3, pinned)
		if refuse.KindOf(err) != refuse.KindIndex || !strings.HasPrefix(err.Error(), "roots[150000] = -1: ") {
			t.Errorf("pinned %v: got %v", pinned, err)
		}
		values[150_000], values[190_000] = 0, 0
	}
}

func second[T any](_ T, err error) error { return err }
