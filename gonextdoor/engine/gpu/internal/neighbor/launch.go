package neighbor

import (
	"errors"
	"time"
	"unsafe"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/engine/gpu/internal/launch"
	"gonextdoor/gonextdoor/engine/gpu/resident"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/gonextdoor/refuse"
	"gonextdoor/kernels"
	"gonextdoor/kernels/function"
)

// submit submits one attempt. If the size of the result is known from earlier draws, the result is compacted without waiting
// for the host.
func (d *batchDraw) submit() error {
	if err := d.allocate(); err != nil {
		return err
	}
	if err := d.launch(d.loaded.draw, d.loaded.blocks, true); err != nil {
		return err
	}
	if d.allocateExpected() {
		return d.compactEarly()
	}
	return nil
}

// outcome waits for the report of an attempt. again is true if the capacity was too small; it has been increased then.
func (d *batchDraw) outcome() (again bool, err error) {
	if err := d.await(); err != nil {
		return false, err
	}
	return d.verdict()
}

// verdict returns what the report says after a launch: again and the error are those of outcome.
func (d *batchDraw) verdict() (again bool, err error) {
	switch d.report.fault() {
	case kernels.FaultNone:
		return false, nil
	case kernels.FaultSeeds:
		return false, d.badSeeds(d.report.needed())
	}
	return true, d.capacity.grow(&d.report)
}

// allocateExpected allocates an arena of the size that the last draw of the shape had, with a margin. It returns false if
// there was none, or too little memory.
func (d *batchDraw) allocateExpected() bool {
	if d.capacity.words == 0 {
		return false
	}
	m, err := d.device.Alloc(8*d.capacity.words, d.stream)
	if err != nil {
		return false // there may be enough once the exact size is known
	}
	d.arena = m
	d.args.Arena, d.args.ArenaCapacity = uint64(m.Address), uint64(d.capacity.words)
	return true
}

// compactEarly submits the compaction and the event after it, before the host has read the report.
func (d *batchDraw) compactEarly() (err error) {
	if err = d.launch(d.loaded.compact, d.loaded.blocks, false); err != nil {
		return err
	}
	if d.ready, err = d.device.NewEvent(); err != nil {
		return err
	}
	err = launch.First(d.ready.Record(d.stream), d.device.Free(d.memory, d.stream))
	d.memory = cuda.Memory{}
	return err
}

// await waits until the report is complete. The compaction sets a word in pinned memory when it begins. Polling this word,
// for up to plan.NeighborSpin microseconds, has less latency than waiting for the compaction. The stream may have the work of
// later calls, so it is waited for only if there is no compaction.
func (d *batchDraw) await() error {
	if d.ready == (cuda.Event{}) {
		return d.stream.Synchronize()
	}
	for begin := time.Now(); time.Since(begin) < plan.NeighborSpin*time.Microsecond; {
		for range 100 {
			if d.report.done() {
				return nil
			}
		}
	}
	return d.ready.Synchronize()
}

// badSeeds returns the error of the first seed node that is no vertex or repeats.
func (q *batchRequest) badSeeds(seed int64) error {
	for _, b := range q.batches {
		if err := b.SeedNodes.Check(q.app, q.from.Graph); err != nil {
			return err
		}
	}
	return refuse.Device("GPU: seed %d is invalid on the GPU but not on the CPU; please report this", uint32(seed))
}

// allocate allocates the memory of an attempt and writes the parameters. If there is not enough memory for a guessed
// capacity, it begins with a small one.
func (d *batchDraw) allocate() error {
	if err := d.free(); err != nil {
		return err
	}
	m, err := resident.Alloc(d.device, d.layout(0), d.stream)
	if errors.Is(err, cuda.ErrMemory) && d.guessed {
		d.guessed = false
		d.capacity = d.forSeeds(capacity{plan.NeighborSpareEdges, plan.NeighborSpareEdges, plan.NeighborSpareEdges, records(0), 0})
		m, err = resident.Alloc(d.device, d.layout(0), d.stream)
	}
	if err != nil {
		return err
	}
	d.memory = m
	d.layout(uint64(m.Address))
	d.params.write(&d.batchRequest, d.held.graphs, d.pinned.Pointer, uint64(m.Address))
	d.report.reset()
	rest := d.params.rest
	return d.device.CopyIn(m.Address+uintptr(rest), unsafe.Add(d.pinned.Pointer, rest), int64(d.params.bytes-rest), d.stream)
}

// layout sets the addresses of the arrays of an attempt, which begin at address at, and returns the bytes of all.
func (d *batchDraw) layout(at uint64) int64 {
	begin, a, o, r := at, &d.args, d.params, d.capacity
	array := func(to *uint64, bytes int64) { // arrays begin at multiples of 256 bytes
		*to = at
		at += (uint64(bytes) + 255) / 256 * 256
	}
	batches, steps, lists := int64(len(d.batches)), int64(o.stepCount), int64(d.lists)
	// 1. The parameters come first.
	var base, status uint64
	array(&base, int64(o.bytes))
	array(&status, 4)
	*a = kernels.NeighborSampler{
		Given: uint64(uintptr(d.pinned.Pointer)), GivenWords: uint64(o.rest / 8),
		Steps: base + uint64(o.steps), StepCount: uint64(steps), Types: uint64(len(d.from.Graph.Counts)),
		Relations: uint64(len(d.from.Graph.Relations)), Batches: uint64(batches), BatchSeeds: base + uint64(o.batchSeeds),
		SeedNodeAt: base + uint64(o.seedNodeAt), SeedNodes: base + uint64(o.seedNodes), Vertices: base + uint64(o.vertices),
		Disjoint: launch.Flag(d.app.Disjoint), Pairs: launch.Flag(d.app.Layout == app.COO), Arrived: uint64(d.arrived), Status: status,
		Report: d.report.address(), TableMask: uint64(d.tableRecords() - 1), TablePart: d.capacity.tablePart(len(d.batches)),
		TableStride: uint64(d.tableStride()), NodeCapacity: uint64(r.nodes), OffsetCapacity: uint64(r.offsets), EdgeCapacity: uint64(r.edges),
	}
	if d.anyTimed() {
		a.TreeTimes = base + uint64(o.treeTimes)
		if d.windows() {
			a.TreeBegins = base + uint64(o.treeBegins)
		}
	}
	// 2. Id map, sizes, nodes and edges.
	array(&a.Table, 16*d.tableRecords())
	array(&a.Known, 4*(steps+1)*lists)
	array(&a.EdgeAt, 4*steps*(batches+1))
	array(&a.FrontierAt, 4*(steps+1))
	array(&a.Nodes, 4*r.nodes*lists)
	if d.app.Disjoint {
		array(&a.Trees, 4*r.nodes*lists)
	}
	array(&a.Offsets, 4*r.offsets)
	array(&a.Slots, 4*r.edges)
	if d.app.Layout == app.COO {
		array(&a.Targets, 4*r.edges)
	}
	array(&a.Positions, 8*r.edges)
	if d.anyLong() {
		array(&a.PickTable, 16*r.edges)
		array(&a.PickParents, 4*r.edges)
	}
	if d.app.Labor() {
		d.layoutLabor(array)
	}
	// 3. The queue of hub tasks and the prefix sums of tiles.
	a.HubDegree = uint64(d.hubDegree())
	if a.QueueSlots = uint64(d.from.Engine.Tuning.NeighborSlots); a.QueueSlots == 0 {
		a.QueueSlots = plan.NeighborHubTasks
	}
	array(&a.Queue, 8*(kernels.QueueHead+kernels.HubSlot*int64(a.QueueSlots)))
	a.SumCapacity = uint64(max(d.frontierTiles(r.nodes), r.edges/kernels.NeighborThreads+batches+1))
	array(&a.Sums, 8*int64(a.SumCapacity))
	array(&a.Fresh, 4*(r.edges/32+2))
	return int64(at - begin)
}

// layoutLabor sets the addresses of the arrays that only LABOR has. Up to half of each chunk of picks is wasted.
func (d *batchDraw) layoutLabor(array func(to *uint64, bytes int64)) {
	a, nodes, warps := &d.args, d.capacity.nodes*int64(d.lists), int64(d.loaded.blocks)*kernels.NeighborThreads/kernels.WarpSize
	a.PickCapacity = uint64(2*d.capacity.edges + warps*kernels.PickSpaceChunk)
	array(&a.ChoiceCounts, 4*nodes)
	array(&a.ChoicePicks, 8*nodes)
	array(&a.Picks, 4*int64(a.PickCapacity))
	array(&a.LaborCounters, 8*kernels.LaborCounterWords+4*(kernels.LaborLists*nodes+kernels.CutRowWords*warps))
}

// frontierTiles bounds the tiles of the nodes that a step expands; see HopFrontier::tile_size of kernels/driver/hopfrontier.cuh.
func (d *batchDraw) frontierTiles(nodesPerList int64) int64 {
	nodes, least, ranges := nodesPerList*int64(d.lists), int64(kernels.NeighborThreads), d.choice() == rangeChoice
	for _, fanouts := range d.app.Fanouts {
		for _, f := range fanouts {
			switch {
			case f < 0:
				least = min(least, kernels.AllNodes)
			case f > 0 && (ranges || !d.app.Replace):
				least = min(least, max(1, kernels.TilePicks/int64(f)))
			}
		}
	}
	return nodes/least + int64(d.loaded.blocks+len(d.batches)) + 1
}

// launch starts one of the two kernels with at most that many blocks.
func (d *batchDraw) launch(f function.Function, most int, cooperative bool) error {
	return f.Launch(d.grid(most, cooperative), d.stream, &d.args)
}

// grid returns the blocks of a launch, at most that many.
func (d *batchDraw) grid(most int, cooperative bool) cuda.Grid {
	if t := d.from.Engine.Tuning.NeighborBlocks; t > 0 {
		most = min(most, t)
	} else if !d.app.Labor() { // which reads complete rows, however few edges are taken
		if d.capacity.edges < plan.NeighborHalfEdges {
			most = (most + 1) / 2
		}
		most = min(most, int(max(d.capacity.edges/plan.NeighborBlockEdges, d.tableRecords()/plan.NeighborBlockRecords))+1)
	}
	return cuda.Grid{Blocks: most, Cooperative: cooperative}
}

// neighborKernels are the two kernels, and the number of blocks of the first that the GPU runs at once.
type neighborKernels struct {
	draw, compact function.Function
	blocks        int
}

// kernels returns the kernels, and loads them at the first use. The first of them depends on the choice.
func (n *Sampler) kernels(by choice) (k neighborKernels, err error) {
	n.lock.Lock()
	defer n.lock.Unlock()
	loaded := &n.loaded[by]
	if loaded.blocks > 0 {
		return *loaded, nil
	}
	if k.draw, err = function.Load(n.Engine.Device, images[by]+"_draw"); err != nil {
		return k, err
	}
	if k.compact, err = function.Load(n.Engine.Device, "neighborsampler_compact"); err != nil {
		return k, err
	}
	if k.blocks, err = k.draw.Blocks(k.draw.Block(), 0); err == nil {
		*loaded = k
	}
	return k, err
}
