package gpu

import (
	"errors"
	"sync/atomic"
	"time"
	"unsafe"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/engine/gpu/resident"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/gonextdoor/refuse"
	"gonextdoor/kernels"
)

// Sizes of kernels/driver/tiles.cuh and expand.cuh.
const (
	neighborhoodThreads = 512
	reportHead          = 4 // words: what went wrong, how much would be needed in two, and whether this is the report
	reportDone          = 3
	allNodes            = 64
	tilePicks           = 4096
	queueHead           = 48
	queueSlot           = 3
)

// sample has the card draw, and reads its report. again: there was too little room, of which there is more now. Where the
// size of the result can be told beforehand it is laid behind that, without the host in between.
func (d *draw) sample() (again bool, err error) {
	k, err := d.from.kernels()
	if err != nil {
		return false, err
	}
	if err := d.take(); err != nil {
		return false, err
	}
	if err := d.launch(k.sampled, k.blocks, true); err != nil {
		return false, err
	}
	if d.ahead() {
		if err := d.layAhead(k); err != nil {
			return false, err
		}
	}
	if err := d.await(); err != nil {
		return false, err
	}
	switch d.report[0] {
	case faultNone:
		return false, nil
	case faultSeeds:
		return false, d.badSeeds()
	}
	return true, d.grow()
}

// ahead takes memory for a result as large as the last one of the shape, with some more.
func (d *draw) ahead() bool {
	if d.rooms.words == 0 {
		return false
	}
	m, err := d.device.Alloc(8*d.rooms.words, d.stream)
	if err != nil {
		return false // there may be enough once it is known how much is needed
	}
	d.arena = m
	d.args.Arena, d.args.ArenaRoom = uint64(m.Address), uint64(d.rooms.words)
	return true
}

// layAhead has the result laid, and all ready for who waits for it, before the host looks.
func (d *draw) layAhead(k neighborhoodKernels) (err error) {
	if err = d.launch(k.laid, k.blocks, false); err != nil {
		return err
	}
	if d.ready, err = d.device.NewEvent(); err != nil {
		return err
	}
	err = first(d.ready.Record(d.stream), d.device.Free(d.memory, d.stream))
	d.memory = cuda.Memory{}
	return err
}

// await waits until the report is there. The kernel that lays says so as it begins: a host that looks at a word sees it
// sooner than one that is woken.
func (d *draw) await() error {
	if d.arena.Address != 0 {
		for begin := time.Now(); time.Since(begin) < plan.NeighborhoodWatch*time.Microsecond; {
			for range 100 {
				if atomic.LoadUint32(&d.report[reportDone]) != 0 {
					return nil
				}
			}
		}
	}
	return d.stream.Synchronize()
}

// badSeeds names the first of the seeds that is none, or repeats.
func (d *draw) badSeeds() error {
	for _, b := range d.batches {
		if err := b.Seeds.Check(d.app, d.from.Graph); err != nil {
			return err
		}
	}
	return refuse.Device("GPU: the card refuses seed %d, and the host does not: please report it", d.report[1])
}

// take takes the memory of one try, and tells the card what to do. Where there is not enough for what was guessed, it
// begins with little.
func (d *draw) take() error {
	if err := d.free(); err != nil {
		return err
	}
	m, err := resident.Alloc(d.device, d.carve(0), d.stream)
	if errors.Is(err, cuda.ErrMemory) && d.guessed {
		d.guessed = false
		d.rooms = d.atLeast(rooms{plan.NeighborhoodLeast, plan.NeighborhoodLeast, plan.NeighborhoodLeast, records(0), 0})
		m, err = resident.Alloc(d.device, d.carve(0), d.stream)
	}
	if err != nil {
		return err
	}
	d.memory = m
	d.carve(uint64(m.Address))
	d.write(d.order, d.given.Pointer, uint64(m.Address))
	d.report[0], d.report[reportDone] = faultNone, 0
	return d.device.CopyIn(m.Address, d.given.Pointer, int64(d.order.bytes), d.stream)
}

// carve gives the arrays of a try their addresses, from one on, and the bytes of all.
func (d *draw) carve(at uint64) int64 {
	begin, a, o, r := at, &d.args, d.order, d.rooms
	array := func(to *uint64, bytes int64) {
		*to = at
		at += (uint64(bytes) + 255) / 256 * 256
	}
	batches, steps, lists := int64(len(d.batches)), int64(o.stepCount), int64(d.lists)
	var base uint64
	array(&base, int64(o.bytes))
	*a = kernels.Neighborhood{
		Steps: base + uint64(o.steps), StepCount: uint64(steps), Types: uint64(len(d.from.Graph.Counts)),
		Relations: uint64(len(d.from.Graph.Relations)), Batches: uint64(batches), Words: base + uint64(o.words),
		SeedAt: base + uint64(o.seedAt), Seeds: base + uint64(o.seeds), Vertices: base + uint64(o.vertices),
		Disjoint: flag(d.app.Disjoint), Pairs: flag(d.app.Layout == app.COO), Arrived: base, Status: base + orderHead/2,
		Report: uint64(uintptr(unsafe.Pointer(unsafe.SliceData(d.report)))), TableMask: uint64(r.records - 1), TablePart: d.tablePart(),
		NodeRoom: uint64(r.nodes), OffsetRoom: uint64(r.offsets), EdgeRoom: uint64(r.edges),
	}
	array(&a.Table, 16*r.records)
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
	a.HubDegree = uint64(d.hubDegree())
	if a.QueueSlots = uint64(d.from.Engine.Tuning.NeighborSlots); a.QueueSlots == 0 {
		a.QueueSlots = plan.NeighborhoodSlots
	}
	array(&a.Queue, 8*(queueHead+queueSlot*int64(a.QueueSlots)))
	a.SumRoom = uint64(max(d.mostDue(), r.edges/neighborhoodThreads+batches+1))
	array(&a.Sums, 8*int64(a.SumRoom))
	array(&a.Fresh, 4*neighborhoodThreads/32*(r.edges/neighborhoodThreads+batches+1))
	return int64(at - begin)
}

// tablePart is how many records the nodes of a batch begin among: its share of the table, where that is not too little
// for batches that differ in size.
func (d *draw) tablePart() uint64 {
	part := d.rooms.records
	for part > plan.NeighborhoodPart && part*int64(len(d.batches)) > d.rooms.records {
		part /= 2
	}
	return uint64(part)
}

// mostDue bounds the tiles of the nodes that a step expands; see HopFrontier::each of kernels/driver/hopfrontier.cuh.
func (d *draw) mostDue() int64 {
	nodes, least := d.rooms.nodes*int64(d.lists), int64(neighborhoodThreads)
	for _, fanouts := range d.app.Fanouts {
		for _, f := range fanouts {
			switch {
			case f < 0:
				least = min(least, allNodes)
			case !d.app.Replace && f > 0:
				least = min(least, max(1, tilePicks/int64(f)))
			}
		}
	}
	return nodes/least + int64(d.from.loaded.blocks+len(d.batches)) + 1
}

// launch starts one of the two kernels.
func (d *draw) launch(f cuda.Function, most int, cooperative bool) error {
	if t := d.from.Engine.Tuning.NeighborBlocks; t > 0 {
		most = min(most, t)
	} else {
		most = min(most, int(d.rooms.edges/plan.NeighborhoodBlockEdges)+1)
	}
	grid := cuda.Grid{Blocks: most, Threads: neighborhoodThreads, Cooperative: cooperative}
	return f.Launch(grid, d.stream, unsafe.Pointer(&d.args), unsafe.Sizeof(d.args))
}

// neighborhoodKernels are the two kernels, and the blocks of the first that a device holds at once.
type neighborhoodKernels struct {
	sampled, laid cuda.Function
	blocks        int
}

// kernels loads the kernels at the first use.
func (n *NeighborSampler) kernels() (k neighborhoodKernels, err error) {
	n.lock.Lock()
	defer n.lock.Unlock()
	if n.loaded.blocks > 0 {
		return n.loaded, nil
	}
	image, err := kernels.Image("neighborhood")
	if err != nil {
		return k, err
	}
	m, err := n.Engine.Device.Load("neighborhood", image)
	if err != nil {
		return k, err
	}
	if k.sampled, err = m.Function("neighborhood_sampled"); err != nil {
		return k, err
	}
	if k.laid, err = m.Function("neighborhood_compacted"); err != nil {
		return k, err
	}
	if k.blocks, err = k.sampled.Blocks(neighborhoodThreads, 0); err == nil {
		n.loaded = k
	}
	return k, err
}
