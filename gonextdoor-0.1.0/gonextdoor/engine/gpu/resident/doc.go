// Package resident keeps graphs in GPU memory.
//
// A graph is uploaded at its first use and stays until it is closed or its memory is needed for another graph. It is stored
// as layouts: arrays for one access pattern each, such as packed rows, wide records, alias tables or an edge bitmap. Rows,
// biases, labels and edge ids are copied from the host. All other layouts are built on the GPU at their first use. Tables
// that package graph/index also builds, for the CPU, are equal to these bit for bit.
//
//	r := resident.Of(g, d)
//	addresses, release, err := r.Hold(resident.Packed, stream, graph.Options{})
//	// launch kernels that read addresses into stream
//	release()
//
// Tables that apps determine are stored with a graph too, see HoldTable. What follows applies to layouts and tables alike.
//
// Split graphs: Place splits a graph over several GPUs. Each array of its layouts then exists once, cut at the bounds of the
// placement: the memory of each piece is on the GPU that has the rows. All pieces are mapped at one range of addresses, so
// that kernels read an array as if it were in one memory. The memory that is left on a GPU is used for replicas of other GPUs'
// pieces, and a GPU with replicas has its own range of addresses. Replicas are freed when other layouts need their memory. The
// first call builds a layout for all GPUs; either all GPUs of the placement have a layout, or none has. Tables are not split.
//
// Memory: the layouts of all graphs on a GPU may take at most its budget, see GONEXTDOOR_DEVICE_MEMORY. If the budget or
// the GPU is full, the least recently used layouts are evicted. A layout that a call holds is never evicted, nor is memory of
// Reserve, which counts as well.
//
// Order: a layout is built in the stream of the call that needs it first. Calls in other streams wait for it on the GPU, by
// an event. Memory is freed only after the whole device is idle, or all devices of a split graph.
//
// Locks: one mutex per device guards the tables of layouts. It is not held while a layout is built. A mutex per graph lets
// one thread at a time build layouts of the graph. If both are needed, the graph's mutex is locked first. The mutexes of
// several devices are locked in the order of the devices.
//
// Functions that take a stream, and Evict, are called within cuda.Device.Do. All functions are safe for concurrent use.
package resident
