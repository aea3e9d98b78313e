// Package resident keeps graphs in GPU memory. A graph is uploaded once, and stays until it is closed or others need the
// memory. What kernels read beside the rows (tables of rows, wide records, alias tables, bitmaps of edges) is built on the
// GPU at its first use.
//
//	r := resident.Of(g, d)
//	held, release, err := r.Hold(resident.Packed, stream, graph.Options{})
//	// launch kernels that read held into stream
//	release()
//
// All arrays are bit for bit those that package graph would make. The memory that graphs may take together on a GPU is its
// budget. The least recently used layouts are freed for others, never those that a call holds.
//
// It is not internal because pybind, outside gonextdoor/, imports it.
package resident
