// Package stage holds the inner loops of the walks: each stage does one part of a step for a whole group of walkers and
// prefetches what the next stage will read, so that the waits for memory overlap.
//
// Every stage is a short Go loop here, which is its definition. Where the processor allows, an assembly twin runs in
// its place: same name, same results bit for bit. The twins read packed vertex records only; graphs too large for
// those, and processors without twins, take the Go loops.
//
// The package reads arrays through plain addresses, without bounds checks: what it is given must be a valid graph and
// vertices of it (or graph.None).
package stage
