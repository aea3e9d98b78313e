package neighbor

import (
	"gonextdoor/kernels"
	"sync/atomic"
	"unsafe"
)

// Words of a report's head, beside kernels.ReportDone, which is not 0 once the report is complete.
const (
	reportFault  = 0 // a fault constant: which array was too small, or that a seed node is invalid
	reportNeeded = 1 // the capacity needed or the invalid seed node, in two words
)

// report has the sizes of a launch's result, or its fault. The GPU writes it to pinned memory.
type report struct {
	head   []uint32
	known  []uint32 // number of nodes of each list, before the first step and after each step
	edgeAt []uint32 // per step: the first edge of each batch, and the end

	types, batches int
}

// newReport returns a report in pinned memory, and its length in words if at is nil.
func newReport(at unsafe.Pointer, steps, types, batches int) (r report, words int) {
	known, edges := (steps+1)*types*batches, steps*(batches+1)
	words = kernels.ReportHead + known + edges
	if at == nil {
		return r, words
	}
	all := unsafe.Slice((*uint32)(at), words)
	return report{all[:kernels.ReportHead], all[kernels.ReportHead:][:known], all[kernels.ReportHead+known:], types, batches}, words
}

// address returns the report's address for kernels.
func (r *report) address() uint64 { return uint64(uintptr(unsafe.Pointer(unsafe.SliceData(r.head)))) }

// reset prepares the report for a launch.
func (r *report) reset() { r.head[reportFault], r.head[kernels.ReportDone] = kernels.FaultNone, 0 }

// done reports whether the report is complete. The GPU may be writing the report meanwhile.
func (r *report) done() bool { return atomic.LoadUint32(&r.head[kernels.ReportDone]) != 0 }

// fault returns kernels.FaultNone, or the reason why the launch failed.
func (r *report) fault() uint32 { return r.head[reportFault] }

// needed returns the capacity that was missing.
func (r *report) needed() int64 {
	return int64(r.head[reportNeeded]) | int64(r.head[reportNeeded+1])<<32
}

// nodes returns how many nodes of a type a batch has after a number of steps.
func (r *report) nodes(steps, t, batch int) int {
	return int(r.known[(steps*r.types+t)*r.batches+batch])
}

// lists returns the number of nodes of each list after a number of steps.
func (r *report) lists(steps int) []uint32 {
	n := r.types * r.batches
	return r.known[steps*n:][:n]
}

// edges returns the number of edges of a step and batch.
func (r *report) edges(step, batch int) int {
	at := r.edgeAt[step*(r.batches+1)+batch:]
	return int(at[1] - at[0])
}

// stepEdges returns the number of edges of a step in all batches.
func (r *report) stepEdges(step int) int64 {
	at := r.edgeAt[step*(r.batches+1):]
	return int64(at[r.batches] - at[0])
}
