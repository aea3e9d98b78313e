// Package build makes graphs: from lists of edges (FromEdges), from compressed sparse rows (FromCSR), from R-MAT parameters
// (RMAT) and by reversing the edges of a graph (Reverse).
//
// A builder copies its input, checks it completely, and gives the same graph for any number of threads. The caller closes
// the graph. Builders count their work in a job, which can cancel them.
package build
