// Package build creates graphs: from lists of edges (FromEdges), from compressed sparse rows (FromCSR), from R-MAT parameters
// (RMAT), and by reversing the edges of a graph (Reverse).
//
// A builder copies its input, checks all of it, and returns the same graph for any number of threads. The caller must Close
// the graph. Builders add their work to a job, which can cancel them.
//
// FromEdges, RMAT and Reverse read their edges as a stream and sort them with an arrangement; weigh then computes the biases.
package build
