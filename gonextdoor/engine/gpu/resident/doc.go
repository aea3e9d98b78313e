// Package resident keeps graphs on GPUs: each is copied once to a card, and stays there as long as the graph lives or
// until others need the room. What a kernel reads beside the rows themselves (tables of rows, wide records, alias
// tables, bitmaps of edges) is made on the card at its first use.
//
//	r := resident.Of(g, d)
//	held, release, err := r.Hold(resident.Packed, stream, graph.Options{})
//	// launch kernels that read held into stream
//	release()
//
// All arrays are those that package graph would make, bit for bit. How much memory graphs may take together on a card
// is its budget; the layouts that nobody has asked for longest give way to others, never those that are held.
package resident
