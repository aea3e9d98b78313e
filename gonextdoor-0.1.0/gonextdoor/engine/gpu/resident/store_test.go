package resident_test

import (
	"strconv"
	"strings"
	"sync"
	"testing"

	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/cuda/cudatest"
	"gonextdoor/gonextdoor/engine/gpu/resident"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/graphtest"
	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/refuse"
)

// hold holds layouts of a graph. An error ends the test.
func hold(t *testing.T, g *graph.Graph, d *cuda.Device, want resident.Layout, s cuda.Stream) (release func()) {
	t.Helper()
	_, release, err := resident.Of(g, d).Hold(want, s, graph.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return release
}

// free returns the bytes of free GPU memory.
func free(t *testing.T, d *cuda.Device) int64 {
	t.Helper()
	if err := d.Synchronize(); err != nil {
		t.Fatal(err)
	}
	free, _, err := d.FreeMemory()
	if err != nil {
		t.Fatal(err)
	}
	return free
}

// budgeted limits the memory of all graphs for the rest of the test.
func budgeted(t *testing.T, bytes int64) {
	t.Helper()
	t.Setenv("GONEXTDOOR_DEVICE_MEMORY", strconv.FormatInt(bytes, 10))
}

func TestNothingLeaks(t *testing.T) {
	on(t, func(d *cuda.Device, s cuda.Stream) {
		before := free(t, d)
		for range 3 {
			g := random(500, 4000, 5)
			view, err := index.ByDegree(g, graph.Options{})
			if err != nil {
				t.Fatal(err)
			}
			release := hold(t, g, d, resident.Alias|resident.Packed, s)
			hold(t, view, d, resident.WideAlias|resident.Bloom, s)()
			bytes := resident.Bytes(view)[0]
			if want := int64(501*8 + 4001*4 + 4000*(4+16+4+16+32) + 125*16); bytes < want || before-free(t, d) < bytes {
				t.Errorf("%d bytes, expected %d at least; %d bytes fewer are free", bytes, want, before-free(t, d))
			}
			g.Close() // while it is held
			release()
			release()
			if len(resident.Bytes(g)) != 0 || free(t, d) != before {
				t.Fatalf("%v are left, %d bytes fewer are free", resident.Bytes(g), before-free(t, d))
			}
		}
	})
}

func TestDropKeepsHeldLayouts(t *testing.T) {
	on(t, func(d *cuda.Device, s cuda.Stream) {
		g := random(100, 1000, 6)
		defer g.Close()
		r := resident.Of(g, d)
		hold(t, g, d, resident.Alias, s)()
		release := hold(t, g, d, resident.Packed, s)
		if err := resident.Drop(g); err != nil {
			t.Fatal(err)
		}
		if !r.Has(resident.Rows|resident.Packed) || r.Has(resident.Alias) || r.Has(resident.Biases) {
			t.Error("a held layout was freed, or another one was not")
		}
		release()
		if err := resident.Drop(g); err != nil {
			t.Fatal(err)
		}
		if r.Has(resident.Rows) || len(resident.Bytes(g)) != 0 {
			t.Error("Drop left a layout")
		}
		hold(t, g, d, resident.Alias, s)()
	})
}

func TestTheLeastRecentlyUsedIsEvicted(t *testing.T) {
	on(t, func(d *cuda.Device, s cuda.Stream) {
		a, b, c := random(100, 10000, 1), random(100, 10000, 2), random(100, 10000, 3)
		for _, g := range []*graph.Graph{a, b, c} {
			defer g.Close()
		}
		budgeted(t, 100_000) // each takes 41 KB
		has := func(g *graph.Graph) bool { return resident.Of(g, d).Has(resident.Rows) }
		hold(t, a, d, resident.Rows, s)()
		hold(t, b, d, resident.Rows, s)()
		hold(t, a, d, resident.Rows, s)()
		hold(t, c, d, resident.Rows, s)()
		if !has(a) || has(b) || !has(c) {
			t.Errorf("a %v, b %v, c %v", has(a), has(b), has(c))
		}
		release := hold(t, a, d, resident.Rows, s)
		hold(t, c, d, resident.Rows, s)()
		hold(t, b, d, resident.Rows, s)()
		if !has(a) || !has(b) || has(c) {
			t.Errorf("a %v, b %v, c %v while a is held", has(a), has(b), has(c))
		}
		also := hold(t, b, d, resident.Rows, s)
		_, _, err := resident.Of(c, d).Hold(resident.Rows, s, graph.Options{})
		for _, want := range []string{"cuda:0", "Rows", "100 vertices", "10000 edges", "GONEXTDOOR_DEVICE_MEMORY", "release_device", "are free"} {
			if refuse.KindOf(err) != refuse.KindDevice || !strings.Contains(err.Error(), want) {
				t.Errorf("error %v does not say %q", err, want)
			}
		}
		release()
		also()
		hold(t, c, d, resident.Rows, s)()
	})
}

func TestEvict(t *testing.T) {
	on(t, func(d *cuda.Device, s cuda.Stream) {
		g := random(100, 100000, 1)
		defer g.Close()
		hold(t, g, d, resident.Alias, s)()
		if err := resident.Evict(d, 1); err != nil || !resident.Of(g, d).Has(resident.Alias) {
			t.Errorf("a layout was evicted although enough memory was free: %v", err)
		}
		if err := resident.Evict(d, 1<<50); err != nil || len(resident.Bytes(g)) != 0 {
			t.Errorf("%v is left: %v", resident.Bytes(g), err)
		}
	})
}

func TestARefusedLayoutLeavesNothing(t *testing.T) {
	on(t, func(d *cuda.Device, s cuda.Stream) {
		before := free(t, d)
		g := random(100, 10000, 1)
		budgeted(t, 150_000)
		if _, _, err := resident.Of(g, d).Hold(resident.WideAlias, s, graph.Options{}); refuse.KindOf(err) != refuse.KindDevice {
			t.Errorf("error %v", err)
		}
		hold(t, g, d, resident.Biases, s)()
		g.Close()
		if free(t, d) != before {
			t.Errorf("%d bytes fewer are free", before-free(t, d))
		}
	})
}

func TestAStoppedJobLeavesNothing(t *testing.T) {
	on(t, func(d *cuda.Device, s cuda.Stream) {
		before := free(t, d)
		g := graphtest.Star(1000, true)
		_, _, err := resident.Of(g, d).Hold(resident.Alias, s, graph.Options{Job: &job.Job{Stop: 1}})
		if refuse.KindOf(err) != refuse.KindInterrupted {
			t.Errorf("error %v", err)
		}
		if bytes := resident.Bytes(g); len(bytes) != 0 || free(t, d) != before {
			t.Errorf("%v are left", bytes)
		}
		hold(t, g, d, resident.Alias, s)()
		g.Close()
	})
}

func TestManyThreads(t *testing.T) {
	on(t, func(d *cuda.Device, _ cuda.Stream) {
		before := free(t, d)
		list := []*graph.Graph{random(50, 3000, 1), random(50, 3000, 2), random(50, 3000, 3)}
		budgeted(t, 600_000)
		var all sync.WaitGroup
		for thread := range 6 {
			all.Go(func() {
				err := d.Do(func() error {
					s, err := d.NewStream()
					if err != nil {
						return err
					}
					for turn := range 12 {
						g := list[(thread+turn)%len(list)]
						at, release, err := resident.Of(g, d).Hold(resident.Alias|resident.Packed, s, graph.Options{})
						if refuse.KindOf(err) == refuse.KindDevice {
							continue // the layouts that other threads hold fill the budget
						}
						if err != nil {
							return err
						}
						checkRows(t, g, at, d, s)
						release()
					}
					return s.Destroy()
				})
				if err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		for _, g := range list {
			g.Close()
		}
		if now := free(t, d); now != before && !cudatest.Real() { // a real driver allocates memory too
			t.Errorf("%d bytes fewer are free", before-now)
		}
	})
}

func TestBudgetIsRead(t *testing.T) {
	for text, good := range map[string]bool{"": true, "20GB": true, "1.5 tb": true, "50%": true, "1000000": true, "5 MB": true, "-1": false, "much": false, "0": false, "NaN": false, "1e400": false} {
		t.Setenv("GONEXTDOOR_DEVICE_MEMORY", text)
		err := resident.CheckBudget()
		if (err == nil) != good {
			t.Errorf("%q: %v", text, err)
		}
		if !good && !strings.Contains(err.Error(), "GONEXTDOOR_DEVICE_MEMORY") {
			t.Errorf("%q: %v", text, err)
		}
	}
	on(t, func(d *cuda.Device, s cuda.Stream) {
		g := random(100, 10000, 1)
		defer g.Close()
		t.Setenv("GONEXTDOOR_DEVICE_MEMORY", "40KB")
		if _, _, err := resident.Of(g, d).Hold(resident.Rows, s, graph.Options{}); refuse.KindOf(err) != refuse.KindDevice {
			t.Errorf("error %v", err)
		}
		t.Setenv("GONEXTDOOR_DEVICE_MEMORY", "50KB")
		hold(t, g, d, resident.Rows, s)()
	})
}
