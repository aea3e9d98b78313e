package graph

import "gonextdoor/gonextdoor/job"

// Hands are who makes a table of a graph: so many threads (all that there are, where it is below 1), and a job that may
// stop them. The zero value is all threads, stopped by nobody.
type Options struct {
	Threads int
	Job     *job.Job
}

// Chunks of parallel loops over a graph: how many elements a thread takes at a time.
const (
	VertexChunk = 1 << 12
	EdgeChunk   = 1 << 16
)
