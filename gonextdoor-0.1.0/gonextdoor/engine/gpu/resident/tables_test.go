package resident_test

import (
	"runtime"
	"slices"
	"strings"
	"testing"

	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/engine/gpu/resident"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/refuse"
)

// lists is an object with a table.
type lists struct{ values []uint32 }

// holdTable holds the table of an object, and a second array. An error ends the test.
func holdTable(t *testing.T, g *graph.Graph, d *cuda.Device, of *lists, s cuda.Stream) (at []uint64, release func()) {
	t.Helper()
	at, release, err := resident.Of(g, d).HoldTable(resident.TableOf(of, "lists"), s, graph.Options{},
		resident.ArrayOf(of.values), resident.ArrayOf([]uint64{7, 1 << 40}))
	if err != nil {
		t.Fatal(err)
	}
	return at, release
}

func TestTablesStayInGPUMemory(t *testing.T) {
	on(t, func(d *cuda.Device, s cuda.Stream) {
		g := random(100, 1000, 1)
		defer g.Close()
		a, b := &lists{[]uint32{3, 1, 2}}, &lists{[]uint32{9}}
		first, release := holdTable(t, g, d, a, s)
		other, also := holdTable(t, g, d, b, s)
		again, both := holdTable(t, g, d, a, s)
		if !slices.Equal(first, again) || slices.Equal(first, other) {
			t.Errorf("tables at %v, %v, and of another object at %v", first, again, other)
		}
		for _, one := range []struct {
			at   []uint64
			want []uint32
		}{{first, a.values}, {other, b.values}} {
			if got := read[uint32](t, d, s, one.at[0], len(one.want)); !slices.Equal(got, one.want) {
				t.Errorf("%v, expected %v", got, one.want)
			}
			if got := read[uint64](t, d, s, one.at[1], 2); !slices.Equal(got, []uint64{7, 1 << 40}) {
				t.Errorf("%v", got)
			}
		}
		if got := resident.Bytes(g)[0]; got != 4*16 {
			t.Errorf("%d bytes, expected 4 arrays of 16 bytes", got)
		}
		// One hold of a is left, and none of b.
		release()
		also()
		if err := resident.Drop(g); err != nil || resident.Bytes(g)[0] != 2*16 {
			t.Errorf("%d bytes are left: %v", resident.Bytes(g)[0], err)
		}
		both()
		both()
		if err := resident.Drop(g); err != nil || len(resident.Bytes(g)) != 0 {
			t.Errorf("%v are left: %v", resident.Bytes(g), err)
		}
	})
}

func TestTablesOfOneObjectAreSeparateByNameAndGraph(t *testing.T) {
	on(t, func(d *cuda.Device, s cuda.Stream) {
		g, h := random(100, 1000, 1), random(100, 1000, 2)
		defer h.Close()
		one, seen := &lists{[]uint32{3}}, map[uint64]bool{}
		for _, of := range []*graph.Graph{g, h} {
			for _, name := range []string{"a", "b"} {
				at, release, err := resident.Of(of, d).HoldTable(resident.TableOf(one, name), s, graph.Options{}, resident.ArrayOf(one.values))
				if err != nil {
					t.Fatal(err)
				}
				seen[at[0]] = true
				release()
			}
		}
		if len(seen) != 4 {
			t.Errorf("%d tables, expected 4", len(seen))
		}
		g.Close()
		if len(resident.Bytes(g)) != 0 || resident.Bytes(h)[0] != 2*16 {
			t.Errorf("%v and %v bytes are left after the first graph was closed", resident.Bytes(g), resident.Bytes(h))
		}
	})
}

func TestTablesAreEvictedWithLayouts(t *testing.T) {
	on(t, func(d *cuda.Device, s cuda.Stream) {
		g := random(100, 10000, 1) // its rows take 41 KB
		defer g.Close()
		budgeted(t, 60_000)
		one := &lists{make([]uint32, 10_000)}
		_, release := holdTable(t, g, d, one, s)
		_, _, err := resident.Of(g, d).Hold(resident.Rows, s, graph.Options{})
		if refuse.KindOf(err) != refuse.KindDevice {
			t.Fatalf("error %v although the table is held", err)
		}
		release()
		held := hold(t, g, d, resident.Rows, s)
		if got := resident.Bytes(g)[0]; got > 60_000 {
			t.Errorf("%d bytes, expected the rows only", got)
		}
		_, _, err = resident.Of(g, d).HoldTable(resident.TableOf(one, "lists"), s, graph.Options{}, resident.ArrayOf(one.values))
		if refuse.KindOf(err) != refuse.KindDevice || !strings.Contains(err.Error(), "table of lists") {
			t.Errorf("error %v for a table that does not fit", err)
		}
		held()
	})
}

func TestTablesOfCollectedObjectsAreFreed(t *testing.T) {
	on(t, func(d *cuda.Device, s cuda.Stream) {
		g := random(100, 1000, 1)
		defer g.Close()
		keep := &lists{[]uint32{1}}
		for range 4 {
			_, release := holdTable(t, g, d, &lists{make([]uint32, 100_000)}, s)
			release()
			runtime.GC()
			_, release = holdTable(t, g, d, keep, s)
			release()
		}
		runtime.GC()
		last := &lists{[]uint32{2}}
		_, release := holdTable(t, g, d, last, s)
		release()
		if got := resident.Bytes(g)[0]; got != 4*16 {
			t.Errorf("%d bytes, expected two tables of 32", got)
		}
		runtime.KeepAlive(keep)
		runtime.KeepAlive(last)
	})
}
