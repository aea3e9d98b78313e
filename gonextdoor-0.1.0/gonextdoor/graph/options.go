package graph

import "gonextdoor/gonextdoor/job"

// Options bounds the construction of a derived table: the number of threads (all if < 1) and a job that can cancel it. The
// zero value uses all threads and cannot be cancelled.
type Options struct {
	Threads int
	Job     *job.Job
}

// Chunk sizes of parallel loops over a graph, in elements.
const (
	VertexChunk = 1 << 12
	EdgeChunk   = 1 << 16
)
