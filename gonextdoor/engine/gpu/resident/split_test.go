package resident_test

import (
	"errors"
	"slices"
	"sync"
	"testing"
	"unsafe"

	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/cuda/cudatest"
	"gonextdoor/gonextdoor/engine/gpu/resident"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/graphtest"
	"gonextdoor/gonextdoor/graph/index"
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
		checkSegments(t, g, at, d.Device, d.stream)
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

// Each GPU has the pieces of its rows: as many edges as the others, though not as many vertices.
func TestSplitLayoutsTakeEqualShares(t *testing.T) {
	emulated := emulatedGPUs(t)
	t.Setenv("GONEXTDOOR_DEVICE_REPLICAS", "0")
	g := random(3000, 60000, 1) // only a third of the vertices have edges
	defer g.Close()
	place(t, g, 0, 1)
	if err := emulated[0].held(t, g, resident.Alias, func(kernels.Graph) {}); err != nil {
		t.Fatal(err)
	}
	bytes := resident.Bytes(g)
	if first, second := bytes[0], bytes[1]; first < second*8/10 || second < first*8/10 {
		t.Errorf("GPU 0 has %d bytes, GPU 1 has %d", first, second)
	}
}

// delay submits work of some 50 ms to the stream.
func (d device) delay() error {
	return d.Do(func() error {
		const words = 4 << 20
		m, err := d.Alloc(4*words, d.stream)
		for i := range uint32(20) {
			err = errors.Join(err, d.Fill32(m.Address, i, words, d.stream))
		}
		return errors.Join(err, d.Free(m, d.stream))
	})
}

// A GPU waits until the GPU that builds a layout has filled it and has copied the replicas. The default streams of two GPUs have
// the same handle, but the second waits for the first too.
func TestOtherGPUsWaitForTheBuilder(t *testing.T) {
	gpus := emulatedGPUs(t)
	g := random(3000, 60000, 1)
	defer g.Close()
	for _, replicas := range []string{"", "0"} {
		t.Setenv("GONEXTDOOR_DEVICE_REPLICAS", replicas)
		for _, streams := range [][2]cuda.Stream{{gpus[0].stream, gpus[1].stream}, {}} {
			place(t, g, 0, 1)
			var pair [2]device
			for i := range pair {
				pair[i] = device{gpus[i].Device, streams[i]}
			}
			want := resident.Rows | resident.Wide | resident.IDs
			err := errors.Join(
				pair[0].held(t, g, resident.Rows|resident.IDs, func(kernels.Graph) {}),
				pair[0].delay(),
				pair[0].held(t, g, want, func(kernels.Graph) {}),
			)
			if err != nil {
				t.Fatal(err)
			}
			err = pair[1].held(t, g, want, func(at kernels.Graph) { checkEdges(t, g, at, pair[1].Device, pair[1].stream) })
			if err != nil {
				t.Fatal(err)
			}
		}
	}
}

// Memory that submitted work still reads is freed after the work, and a layout that a GPU holds is not freed by another.
func TestSplitLayoutsInUseAreNotFreed(t *testing.T) {
	gpus := emulatedGPUs(t)
	t.Setenv("GONEXTDOOR_DEVICE_REPLICAS", "0")
	g := random(3000, 60000, 1)
	defer g.Close()
	place(t, g, 0, 1)
	bytes := int64(4 * g.NumEdges())
	err := gpus[1].Do(func() error {
		host, err := gpus[1].Pin(bytes)
		if err != nil {
			return err
		}
		built := gpus[0].held(t, g, resident.Rows, func(kernels.Graph) {})
		err = gpus[1].held(t, g, resident.Rows, func(at kernels.Graph) {
			if err := resident.Drop(g); err != nil || len(resident.Bytes(g)) != 2 {
				t.Errorf("a layout in use was freed: %v are left (%v)", resident.Bytes(g), err)
			}
			for range 2000 { // so that the last is not complete when the call ends
				if err := gpus[1].CopyOut(host.Pointer, uintptr(at.Indices), bytes, gpus[1].stream); err != nil {
					t.Error(err)
				}
			}
		})
		err = errors.Join(built, err, resident.Drop(g), gpus[1].stream.Synchronize())
		if err == nil && !slices.Equal(unsafe.Slice((*uint32)(host.Pointer), g.NumEdges()), g.Indices) {
			t.Error("the memory was freed before the copy was complete")
		}
		return errors.Join(err, gpus[1].Unpin(host))
	})
	if err != nil || len(resident.Bytes(g)) != 0 {
		t.Errorf("%v are left (%v)", resident.Bytes(g), err)
	}
}
