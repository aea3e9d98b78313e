package resident_test

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/cuda/cudatest"
	"gonextdoor/gonextdoor/engine/gpu/resident"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/graphtest"
	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/refuse"
	"gonextdoor/kernels"
)

// granule is the granularity of the emulated driver in these tests, so that small graphs are split.
const granule = 4096

// device is a GPU with a stream.
type device struct {
	*cuda.Device
	stream cuda.Stream
}

// emulatedGPUs returns all GPUs of the emulated driver, whose arrays are split into small pieces.
func emulatedGPUs(t *testing.T) (list []device) {
	t.Helper()
	cudatest.Emulated(t)
	cudatest.Set(t, "granularity", granule)
	n, err := cuda.Count()
	if err != nil {
		t.Skip(err)
	}
	for id := range n {
		d, err := cuda.Open(id)
		if err != nil {
			t.Fatal(err)
		}
		one := device{Device: d}
		if err := d.Do(func() (err error) {
			one.stream, err = d.NewStream()
			return err
		}); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = d.Do(one.stream.Destroy) })
		list = append(list, one)
	}
	if len(list) < 2 {
		t.Skip("two GPUs are needed")
	}
	return list
}

// place splits a graph over GPUs by equal numbers of edges.
func place(t *testing.T, g *graph.Graph, devices ...int) {
	t.Helper()
	if err := resident.Place(g, resident.Placement{Devices: devices, Bounds: g.RowRanges(len(devices))}, graph.Options{}); err != nil {
		t.Fatal(err)
	}
}

// held holds layouts on a GPU and calls f with their addresses.
func (d device) held(t *testing.T, g *graph.Graph, want resident.Layout, f func(at kernels.Graph)) error {
	t.Helper()
	return d.Do(func() error {
		at, release, err := resident.Of(g, d.Device).Hold(want, d.stream, graph.Options{})
		if err != nil {
			return err
		}
		defer release()
		f(at)
		return nil
	})
}

// check compares all layouts, as one GPU sees them, with the tables of the graph.
func (d device) check(t *testing.T, g *graph.Graph) {
	t.Helper()
	err := d.held(t, g, everything, func(at kernels.Graph) {
		checkRows(t, g, at, d.Device, d.stream)
		checkSlim(t, g, at, d.Device, d.stream)
		checkAlias(t, g, at, d.Device, d.stream)
		checkEdges(t, g, at, d.Device, d.stream)
		checkLabels(t, g, at, d.Device, d.stream)
		checkBloom(t, g, at, d.Device, d.stream)
		checkWeights(t, g, at, d.Device, d.stream)
		checkRowTries(t, g, at, d.Device, d.stream)
	})
	if err != nil {
		t.Error(err)
	}
}

// groups are the placements of the tests, with the GPU that builds the layouts first.
var groups = [][]int{{0, 1}, {1, 0}, {2, 0, 1}, {1}, {0, 1, 0, 1, 1}}

func TestSplitLayoutsEqualTheTablesOfTheGraph(t *testing.T) {
	gpus := emulatedGPUs(t)
	before := cudatest.Regions()
	for name, g := range graphs() {
		t.Run(name, func(t *testing.T) {
			for _, group := range groups {
				place(t, g, group...)
				for _, id := range group {
					gpus[id].check(t, g)
				}
			}
			g.Base().Close()
		})
	}
	settle(t, gpus)
	if after := cudatest.Regions(); after > before {
		t.Errorf("%d blocks of memory are allocated, %d were before", after, before)
	}
}

// settle waits for all GPUs and returns unused memory of their pools.
func settle(t *testing.T, gpus []device) {
	t.Helper()
	for _, d := range gpus {
		if err := d.Do(d.Trim); err != nil {
			t.Fatal(err)
		}
	}
}

// With any budget, each GPU sees the right arrays, or gets a DeviceError. The budget is never exceeded, and it is used. The
// smallest budgets leave no memory for replicas, so that most arrays are read from other GPUs.
func TestBudgetsOfSplitLayouts(t *testing.T) {
	gpus := emulatedGPUs(t)
	g := random(3000, 30000, 1)
	defer g.Close()
	labelled(g)
	place(t, g, 0, 1)
	gpus[0].check(t, g)
	whole := resident.Bytes(g)[0] // everything is replicated
	if other := resident.Bytes(g)[1]; other != whole {
		t.Errorf("GPU 0 has %d bytes, GPU 1 has %d, expected all on both", whole, other)
	}
	refused, full := 0, 0
	for budget := whole / 4; budget < whole+whole/6; budget += whole / 6 {
		budgeted(t, budget)
		place(t, g, 0, 1)
		err := gpus[1].held(t, g, everything, func(kernels.Graph) {})
		if err != nil {
			refused++
			if refuse.KindOf(err) != refuse.KindDevice || budget > whole*2/3 {
				t.Errorf("%d of %d bytes: %v", budget, whole, err)
			}
			continue
		}
		for id, bytes := range resident.Bytes(g) {
			if bytes > budget {
				t.Errorf("GPU %d has %d bytes, more than the budget of %d", id, bytes, budget)
			}
			if budget < whole && bytes < budget-budget/5 {
				t.Errorf("GPU %d has %d bytes of replicas and pieces, but the budget is %d", id, bytes, budget)
			}
			if bytes == whole {
				full++
			}
		}
		gpus[0].check(t, g)
		gpus[1].check(t, g)
	}
	if refused == 0 || full == 0 {
		t.Errorf("%d budgets were too small, %d were enough for everything", refused, full)
	}
}

// labelled gives the edges of a graph labels.
func labelled(g *graph.Graph) {
	g.Labels = make([]int32, g.NumEdges())
	for i := range g.Labels {
		g.Labels[i] = int32(i % 7)
	}
}

// regular returns a graph whose rows all have the same number of edges.
func regular(vertices, degree int) *graph.Graph {
	list := make([]graphtest.Edge, vertices*degree)
	for i := range list {
		list[i] = graphtest.Edge{From: uint32(i / degree), To: uint32(i * 7919 % vertices), Bias: 1}
	}
	return graphtest.Make(vertices, true, list)
}

// owners returns the GPUs whose memory a GPU reads for the first edges and offsets of the middle row of each part.
func (d device) owners(t *testing.T, g *graph.Graph, parts int) (offsets, edges []int, err error) {
	t.Helper()
	bounds := g.RowRanges(parts)
	err = d.held(t, g, resident.Rows, func(at kernels.Graph) {
		for i := range parts {
			row := (bounds[i] + bounds[i+1]) / 2
			for into, address := range map[*[]int]uint64{&offsets: at.Indptr + 8*uint64(row), &edges: at.Indices + 4*g.Indptr[row]} {
				owner, err := cuda.DeviceOf(uintptr(address))
				if err != nil {
					t.Error(err)
				}
				*into = append(*into, owner)
			}
		}
	})
	return offsets, edges, err
}

// A row is in the memory of the GPU that has the row, and each GPU has its share. With more memory, first the arrays by vertex
// are replicated, then those by edge.
func TestPiecesAreOnTheGPUOfTheirRows(t *testing.T) {
	gpus := emulatedGPUs(t)
	g := regular(60000, 5)
	defer g.Close()
	group := []int{2, 0, 1}
	place(t, g, group...)
	offsets, edges := int64(8*60001), int64(4*300001)
	least := (offsets + edges) / 3
	for ; ; least += 20_000 {
		budgeted(t, least)
		if gpus[0].held(t, g, resident.Rows, func(kernels.Graph) {}) == nil {
			break
		}
	}
	if most := (offsets+edges)/3 + 40_000; least > most {
		t.Errorf("each of 3 GPUs needs %d bytes, expected at most %d", least, most)
	}
	for _, c := range []struct {
		budget         int64
		offsets, edges bool // replicated
	}{{least, false, false}, {least + offsets*2/3 + 2*granule, true, false}, {offsets + edges + 4*granule, true, true}} {
		budgeted(t, c.budget)
		place(t, g, group...)
		for _, d := range gpus {
			own := []int{d.ID, d.ID, d.ID}
			gotOffsets, gotEdges, err := d.owners(t, g, len(group))
			if err != nil {
				t.Fatal(err)
			}
			if c.edges != slices.Equal(gotEdges, own) || c.edges == slices.Equal(gotEdges, group) {
				t.Errorf("budget %d: GPU %d reads edges from GPUs %v", c.budget, d.ID, gotEdges)
			}
			if c.offsets != slices.Equal(gotOffsets, own) || c.offsets == slices.Equal(gotOffsets, group) {
				t.Errorf("budget %d: GPU %d reads offsets from GPUs %v", c.budget, d.ID, gotOffsets)
			}
		}
	}
}

// Whichever chunk cannot be allocated, nothing leaks, and the next call sees the right arrays.
func TestEveryChunkFailsOnce(t *testing.T) {
	gpus := emulatedGPUs(t)
	g := random(500, 5000, 1)
	defer g.Close()
	place(t, g, 0, 1)
	settle(t, gpus)
	before, chunks := cudatest.Regions(), cudatest.Chunks()
	want := resident.Alias | resident.Packed | resident.Bloom
	if err := gpus[0].held(t, g, want, func(kernels.Graph) {}); err != nil {
		t.Fatal(err)
	}
	needed, failed := cudatest.Chunks()-chunks, 0
	step := uint64(1)
	if testing.Short() {
		step = 7
	}
	for k := uint64(0); k < needed; k += step {
		drop(t, g, gpus, before)
		cudatest.Set(t, "fail_chunk", cudatest.Chunks()+1+k)
		err := gpus[1].held(t, g, want, func(kernels.Graph) {})
		if err != nil {
			failed++
			if refuse.KindOf(err) != refuse.KindDevice {
				t.Errorf("chunk %d: %v", k, err)
			}
		}
		cudatest.Set(t, "fail_chunk", 0)
		err = gpus[0].held(t, g, want, func(at kernels.Graph) {
			checkRows(t, g, at, gpus[0].Device, gpus[0].stream)
			checkBloom(t, g, at, gpus[0].Device, gpus[0].stream)
		})
		if err != nil {
			t.Errorf("after chunk %d failed: %v", k, err)
		}
	}
	drop(t, g, gpus, before)
	if failed == 0 {
		t.Error("no chunk was needed")
	}
}

// drop frees the graph's memory and checks that nothing else is allocated than before.
func drop(t *testing.T, g *graph.Graph, gpus []device, before uint64) {
	t.Helper()
	if err := resident.Drop(g); err != nil {
		t.Fatal(err)
	}
	settle(t, gpus)
	if after := cudatest.Regions(); after != before {
		t.Fatalf("%d blocks of memory are allocated, %d were before", after, before)
	}
	if bytes := resident.Bytes(g); len(bytes) != 0 {
		t.Fatalf("the graph still takes %v", bytes)
	}
}

// Replicas of layouts that the call holds make place for other layouts that it needs.
func TestReplicasMakePlace(t *testing.T) {
	gpus := emulatedGPUs(t)
	g := random(3000, 30000, 1)
	defer g.Close()
	labelled(g)
	place(t, g, 0, 1)
	gpus[0].check(t, g)
	whole := resident.Bytes(g)[0]
	budgeted(t, whole*3/4)
	place(t, g, 0, 1)
	for _, d := range gpus[:2] {
		err := d.held(t, g, resident.Rows, func(at kernels.Graph) { // all of it is replicated
			for one := resident.Rows; one <= resident.RowTries; one <<= 1 {
				if everything&one == 0 {
					continue
				}
				if err := d.held(t, g, one, func(kernels.Graph) {}); err != nil {
					t.Errorf("%v: %v", one, err)
				}
			}
			checkRowsOnly(t, g, at, d)
		})
		if err != nil {
			t.Error(err)
		}
		d.check(t, g)
	}
}

// checkRowsOnly compares indptr and indices.
func checkRowsOnly(t *testing.T, g *graph.Graph, at kernels.Graph, d device) {
	t.Helper()
	indices := read[uint32](t, d.Device, d.stream, at.Indices, g.NumEdges())
	for i, v := range g.Indices {
		if indices[i] != v {
			t.Fatalf("GPU %d sees end point %d of edge %d, expected %d", d.ID, indices[i], i, v)
		}
	}
}

// A call whose layouts need the memory of replicas waits for other calls that use them.
func TestReplicasInUseAreWaitedFor(t *testing.T) {
	gpus := emulatedGPUs(t)
	g := random(3000, 30000, 1)
	defer g.Close()
	rows := int64(8*3001 + 4*30001)
	budgeted(t, rows*3/2)
	place(t, g, 0, 1)
	began, held := time.Now(), make(chan struct{})
	var wait sync.WaitGroup
	wait.Go(func() {
		err := gpus[0].held(t, g, resident.Rows, func(kernels.Graph) {
			close(held)
			time.Sleep(200 * time.Millisecond)
		})
		if err != nil {
			t.Error(err)
		}
	})
	<-held
	err := gpus[0].held(t, g, resident.Biases|resident.Slim, func(kernels.Graph) {})
	if took := time.Since(began); err != nil || took < 150*time.Millisecond {
		t.Errorf("after %v: %v", took, err)
	}
	wait.Wait()
	// A stopped job ends the wait.
	j := &job.Job{Stop: 1}
	_ = gpus[1].Do(func() error {
		_, _, err := resident.Of(g, gpus[1].Device).Hold(everything, gpus[1].stream, graph.Options{Job: j})
		if refuse.KindOf(err) != refuse.KindInterrupted && refuse.KindOf(err) != refuse.KindDevice {
			t.Errorf("a stopped call returned %v", err)
		}
		return nil
	})
}

// Several threads of all GPUs hold, evict and drop split layouts, and see the right arrays.
func TestThreadsOfSplitLayouts(t *testing.T) {
	gpus := emulatedGPUs(t)
	g, other := random(2000, 30000, 1), random(3000, 30000, 2)
	defer g.Close()
	defer other.Close()
	view, err := index.ByDegree(g, graph.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer view.Close()
	place(t, g, 0, 1)
	place(t, other, 1, 0)
	budgeted(t, 900_000)
	var wait sync.WaitGroup
	for i := range 6 {
		wait.Go(func() {
			for k := range 12 {
				at, on := gpus[(i+k/4)%2], []*graph.Graph{g, other, view}[(i+k)%3]
				want := []resident.Layout{resident.Packed, resident.Alias, resident.Bloom | resident.IDs}[k%3]
				d := device{at.Device, at.stream}
				err := d.held(t, on, want, func(at kernels.Graph) { checkRowsOnly(t, on, at, d) })
				if err != nil && refuse.KindOf(err) != refuse.KindDevice {
					t.Error(err)
				}
				if i == 0 && k%4 == 3 {
					if err := resident.Drop(on); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	wait.Wait()
}

func TestPlacements(t *testing.T) {
	gpus := emulatedGPUs(t)
	settle(t, gpus)
	before := cudatest.Regions()
	g := random(700, 9000, 1)
	view, err := index.ByDegree(g, graph.Options{})
	if err != nil {
		t.Fatal(err)
	}
	n := g.NumVertices()
	for _, p := range []resident.Placement{
		{[]int{0, 1}, []int{0, n}}, {[]int{0, 1}, []int{0, 9, n - 1}}, {[]int{0, 1}, []int{1, 9, n}}, {[]int{0, 1}, []int{0, n + 1, n}},
		{nil, []int{0}},
	} {
		if err := resident.Place(g, p, graph.Options{}); refuse.KindOf(err) != refuse.KindValue {
			t.Errorf("%v: %v, expected a ValueError", p, err)
		}
	}
	if err := resident.Place(g, resident.Placement{Devices: []int{0, 9}, Bounds: []int{0, 1, n}}, graph.Options{}); refuse.KindOf(err) != refuse.KindDevice {
		t.Errorf("GPU 9: %v", err)
	}
	if _, placed := resident.PlacementOf(g); placed {
		t.Error("a refused placement was recorded")
	}
	place(t, g, 0, 1)
	if p, placed := resident.PlacementOf(view); !placed || fmt.Sprint(p.Devices) != "[0 1]" {
		t.Errorf("the view has the placement %v", p)
	}
	err = gpus[0].held(t, view, resident.Alias, func(kernels.Graph) {
		if err := resident.Place(g, resident.Placement{}, graph.Options{}); refuse.KindOf(err) != refuse.KindDevice {
			t.Errorf("a graph in use was placed: %v", err)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(resident.Bytes(g)) != 2 {
		t.Errorf("the graph is on %v", resident.Bytes(g))
	}
	if err := resident.Place(view, resident.Placement{}, graph.Options{}); err != nil {
		t.Fatal(err)
	}
	if _, placed := resident.PlacementOf(g); placed || len(resident.Bytes(g)) != 0 {
		t.Errorf("the placement was not undone: %v", resident.Bytes(g))
	}
	place(t, g, 0, 1)
	gpus[1].held(t, view, resident.Alias, func(kernels.Graph) {
		view.Close()
		g.Close()
	})
	settle(t, gpus)
	if after := cudatest.Regions(); after != before {
		t.Errorf("%d blocks of memory are allocated, %d were before", after, before)
	}
}

func TestGPUsThatCannotReadEachOther(t *testing.T) {
	gpus := emulatedGPUs(t)
	g := random(700, 9000, 1)
	defer g.Close()
	cudatest.Set(t, "peers", 0)
	err := resident.Place(g, resident.Placement{Devices: []int{0, 1}, Bounds: g.RowRanges(2)}, graph.Options{})
	if refuse.KindOf(err) != refuse.KindDevice {
		t.Errorf("%v, expected a DeviceError", err)
	}
	place(t, g, 1) // one GPU needs no peer
	gpus[1].check(t, labels(g))
}

// labels returns the graph, with labels.
func labels(g *graph.Graph) *graph.Graph {
	labelled(g)
	return g
}
