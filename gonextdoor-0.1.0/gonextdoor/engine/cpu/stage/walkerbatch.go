package stage

import "unsafe"

// WalkerBatch describes a block of walkers at the same step by addresses in the arrays of all such walkers. Draw and Stop
// advance it; Stop compacts the walkers that continue, so that the arrays have no gaps.
//
// The stages read and write eight elements at a time. Every array therefore has Slack more elements, and those of Vertex hold
// valid vertices.
type WalkerBatch struct {
	Key    unsafe.Pointer // uint64: rng.Key of the sample
	Vertex unsafe.Pointer // uint32: the current vertex
	Row    unsafe.Pointer // uint32: the walker's row of the trace, below Nowhere

	KeptKey, KeptVertex, KeptRow unsafe.Pointer // output: the walkers that continue

	Trace     unsafe.Pointer // uint32: the element of row 0 for this step; a row has TraceWidth elements
	Rows      uint64         // number of rows; one further row may be overwritten
	Ended     unsafe.Pointer // output, uint32: rows of the walks that end, plus Nowhere if they end at a sink
	Threshold uint64         // a walk stops if its fraction is less; at least 1
}

const (
	// Slack is the number of elements after the last that the stages may read and overwrite.
	Slack = 16
	// TraceWidth is the number of steps in a row of a trace: one cache line of vertices.
	TraceWidth = 16
	// Nowhere marks the row of a walk that ends because its vertex has no edges.
	Nowhere = 1 << 31
)

// Skip advances the batch past n walkers, of which kept continue.
func (c *WalkerBatch) Skip(n, kept int) {
	c.Key = unsafe.Add(c.Key, n*8)
	c.Vertex = unsafe.Add(c.Vertex, n*4)
	c.Row = unsafe.Add(c.Row, n*4)
	c.KeptKey = unsafe.Add(c.KeptKey, kept*8)
	c.KeptVertex = unsafe.Add(c.KeptVertex, kept*4)
	c.KeptRow = unsafe.Add(c.KeptRow, kept*4)
	c.Ended = unsafe.Add(c.Ended, (n-kept)*4)
}
