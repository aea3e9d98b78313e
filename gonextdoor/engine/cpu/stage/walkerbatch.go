package stage

import "unsafe"

// Crowd is a block of walkers that are all at the same step, as it lies in the arrays of all such walkers. The stages
// that keep some of the walkers close the gaps.
//
// Eight places are read and written at a time, so behind the last of every array lie Slack further ones; what is in
// Vertex there are vertices too.
type Crowd struct {
	Key    unsafe.Pointer // uint64: rng.Key of the sample
	Vertex unsafe.Pointer // uint32: where the walker is
	Row    unsafe.Pointer // uint32: the row of the trace that the walker writes, below Nowhere

	KeptKey, KeptVertex, KeptRow unsafe.Pointer // of those who walk on

	Trace     unsafe.Pointer // uint32: row 0's place for the step; a row has TraceWidth places
	Rows      uint64         // their number; a row behind them may be overwritten
	Ended     unsafe.Pointer // uint32: the rows that end, with Nowhere added where the step led to None
	Threshold uint64         // a walk stops when its fraction lies below; at least 1
}

const (
	// Slack is how many places of the arrays behind the last may be overwritten.
	Slack = 16
	// TraceWidth is how many steps a row of a trace holds, one cache line's.
	TraceWidth = 16
	// Nowhere marks a row that ends because there was no edge to take.
	Nowhere = 1 << 31
)

// Skip moves on by n walkers, of which kept walk on.
func (c *Crowd) Skip(n, kept int) {
	c.Key = unsafe.Add(c.Key, n*8)
	c.Vertex = unsafe.Add(c.Vertex, n*4)
	c.Row = unsafe.Add(c.Row, n*4)
	c.KeptKey = unsafe.Add(c.KeptKey, kept*8)
	c.KeptVertex = unsafe.Add(c.KeptVertex, kept*4)
	c.KeptRow = unsafe.Add(c.KeptRow, kept*4)
	c.Ended = unsafe.Add(c.Ended, (n-kept)*4)
}
