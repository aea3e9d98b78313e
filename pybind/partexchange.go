package pybind

import (
	"unsafe"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/apps"
	"gonextdoor/gonextdoor/engine/neighborbatch"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/offheap"
	"gonextdoor/gonextdoor/output"
	"gonextdoor/gonextdoor/partition"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/gonextdoor/refuse"
	"gonextdoor/pybind/record"
)

// edgeCall is a call that asks parts for edges: a partition.BatchCall or a partition.TreeCall.
type edgeCall interface {
	Questions(j *job.Job) ([][]uint32, error)
	Answers(buffers [][]uint32, j *job.Job) error
	Exchanged() partition.Traffic
	Discard()
}

// partCall is a call in progress.
type partCall struct {
	edgeCall
	questions [][]uint32 // of the present round

	// Of mini-batches.
	sampling *app.NeighborSampling
	graph    *graph.Hetero         // its relations have the rows of the part
	record   *neighborbatch.Record // of the caller, who keeps the memory until the end of the call
}

var partCalls registry[*partCall]

// PartBatches begins the mini-batches that the record at an address requests, at the part that asks; see neighborbatch.Request.
// The record must remain until the call is dropped.
func PartBatches(part int64, sampling int64, record uintptr, job uintptr) (handle int64, err error) {
	defer guard(&err)
	p, err := parts.get(part)
	if err != nil {
		return 0, err
	}
	m, err := neighborSamplings.get(sampling)
	if err != nil {
		return 0, err
	}
	c := &partCall{sampling: m, graph: p.Graph}
	r, batchSeeds, nodes, err := neighborbatch.ReadRecord(c.graph, pointer(record))
	if err != nil {
		return 0, err
	}
	c.record = r
	call, err := partition.NewBatchCall(p.HeteroPart, m, batchSeeds, nodes, int(r.Place))
	if err != nil {
		return 0, err
	}
	c.edgeCall = call
	return partCalls.add(c), nil
}

// PartBatchesFinish writes the headers and arenas of mini-batches to the record of their call, like SampleNeighbors.
func PartBatchesFinish(handle int64) (batches int64, err error) {
	defer guard(&err)
	c, err := partCalls.get(handle)
	if err != nil {
		return 0, err
	}
	call, ok := c.edgeCall.(*partition.BatchCall)
	if !ok {
		return 0, refuse.Value("handle %d: no mini-batches", handle)
	}
	all, err := call.Finish()
	if err != nil {
		return 0, err
	}
	c.record.Write(c.sampling, c.graph, all)
	return int64(len(all)), nil
}

// PartTrees begins the samples of an app whose samples are trees, at the part that asks. request is the address of a
// record.Request, whose Vertices and EdgeIDs are written at the end if the samples have one width; they must remain until the
// call is dropped.
func PartTrees(part int64, name string, params string, request uintptr, width int64, job uintptr) (handle int64, err error) {
	defer guard(&err)
	p, err := plainPart(part)
	if err != nil {
		return 0, err
	}
	a, err := apps.Parse(name, params)
	if err != nil {
		return 0, err
	}
	r := *at[record.Request](request)
	roots, err := rootsOf(p.Whole.Vertices, &r, int(width))
	if err != nil {
		return 0, err
	}
	b := plan.Batch{Roots: roots, Seed: r.Seed, First: r.First, Edges: r.Edges != 0}
	out := output.Matrix{
		Vertices: view[uint32](uintptr(r.Vertices), r.Rows*r.Slots), Width: int(r.Slots), Roots: int(width),
	}
	if b.Edges {
		out.Edges = view[int64](uintptr(r.EdgeIDs), r.Rows*(r.Slots-width))
	}
	call, err := partition.NewTreeCall(p, a, b, out, jobAt(job))
	if err != nil {
		return 0, err
	}
	return partCalls.add(&partCall{edgeCall: call}), nil
}

// PartTreesLayers lends the samples of a call whose samples have no fixed width, and writes a record.Layers to an address.
func PartTreesLayers(handle int64, edges bool, to uintptr) (rows int64, err error) {
	defer guard(&err)
	c, err := partCalls.get(handle)
	if err != nil {
		return 0, err
	}
	call, ok := c.edgeCall.(*partition.TreeCall)
	if !ok {
		return 0, refuse.Value("handle %d: no trees", handle)
	}
	lent, err := call.Layers(edges)
	if err != nil {
		return 0, err
	}
	*at[record.Layers](to) = layersRecord(&lent)
	return int64(len(lent.Offsets) - 1), nil
}

// PartCallAsk begins the next exchange of a call. It writes the number of bytes of the question to each part to sizes, an int64
// each, and returns their sum, or -1 if the call is complete.
func PartCallAsk(handle int64, sizes uintptr, job uintptr) (total int64, err error) {
	defer guard(&err)
	c, err := partCalls.get(handle)
	if err != nil {
		return 0, err
	}
	if c.questions, err = c.Questions(jobAt(job)); err != nil {
		return 0, err
	}
	if c.questions == nil {
		return -1, nil
	}
	to := view[int64](sizes, int64(len(c.questions)))
	for i, q := range c.questions {
		to[i] = 4 * int64(len(q))
		total += to[i]
	}
	return total, nil
}

// PartCallQuestion copies the question to a part to an address.
func PartCallQuestion(handle int64, part int64, to uintptr) (size int64, err error) {
	defer guard(&err)
	c, err := partCalls.get(handle)
	if err != nil {
		return 0, err
	}
	if part < 0 || part >= int64(len(c.questions)) {
		return 0, refuse.Value("part = %d: expected a part below %d", part, len(c.questions))
	}
	q := c.questions[part]
	copy(view[uint32](to, int64(len(q))), q)
	return 4 * int64(len(q)), nil
}

// PartCallAnswer continues a call with the answer of each part: an address and a size in bytes, as int64; 0 for parts that were
// not asked.
func PartCallAnswer(handle int64, buffers uintptr, count int64, job uintptr) (read int64, err error) {
	defer guard(&err)
	c, err := partCalls.get(handle)
	if err != nil {
		return 0, err
	}
	answers := make([][]uint32, count)
	for i, b := range view[[2]int64](buffers, count) {
		answers[i] = wordsAt(b)
	}
	return count, c.Answers(answers, jobAt(job))
}

// wordsAt returns the words of a buffer, given by its address and its size in bytes.
func wordsAt(buffer [2]int64) []uint32 {
	if buffer[1] == 0 {
		return nil
	}
	return partition.Words(unsafe.Slice((*byte)(pointer(uintptr(buffer[0]))), buffer[1]))
}

// PartCallTraffic writes what a call has exchanged to an address, as int64: messages, bytes, then the rows of each hop or step
// and how many of them were asked for. It returns the number of hops or steps, of which at most count are written.
func PartCallTraffic(handle int64, to uintptr, count int64) (steps int64, err error) {
	defer guard(&err)
	c, err := partCalls.get(handle)
	if err != nil {
		return 0, err
	}
	t := c.Exchanged()
	numbers := view[int64](to, 2+2*count)
	numbers[0], numbers[1] = int64(t.Messages), int64(t.Bytes)
	for i := range min(len(t.Rows), int(count)) {
		numbers[2+2*i], numbers[3+2*i] = int64(t.Rows[i]), int64(t.Asked[i])
	}
	return int64(len(t.Rows)), nil
}

// DropPartCall ends a call and frees what it holds.
func DropPartCall(handle int64) (known bool, err error) {
	defer guard(&err)
	c, known := partCalls.drop(handle)
	if known {
		c.Discard()
	}
	return known, nil
}

// PartAnswer answers the question of size bytes at an address. It lends the answer, and writes its address and size in bytes to
// result, as int64.
func PartAnswer(part int64, question uintptr, size int64, result uintptr, job uintptr) (written int64, err error) {
	defer guard(&err)
	p, err := parts.get(part)
	if err != nil {
		return 0, err
	}
	answer, err := p.AnswerEdges(wordsAt([2]int64{int64(question), size}), jobAt(job))
	if err != nil {
		return 0, err
	}
	written = 4 * int64(len(answer))
	block, err := offheap.Results.Lend(written)
	if err != nil {
		return 0, err
	}
	copy(unsafe.Slice((*uint32)(block), len(answer)), answer)
	*at[[2]int64](result) = [2]int64{int64(uintptr(block)), written}
	return written, nil
}
