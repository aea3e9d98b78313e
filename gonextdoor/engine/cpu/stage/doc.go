// Package stage holds the inner loops of the walks. Each stage performs one part of a step for a group of walkers and
// prefetches the memory that the next stage reads, so that cache misses overlap.
//
// A step of a first-order walk is Choose (pick an edge), then Follow (move). A step of a second-order walk is Propose,
// Decide, Verify, Advance. A step of a walk that stops at random is Draw, then Stop, or StepAll for both.
//
// Every stage is defined by a short Go loop in this package. If the CPU supports it, an assembly form of the same name runs
// instead, with results that are equal bit for bit. Assembly reads packed vertex records only; graphs too large for those,
// and other CPUs, use the Go loops.
//
// The stages read arrays through addresses, without bounds checks. The caller guarantees that the graph is valid and that all
// vertices are of the graph or graph.None.
package stage
