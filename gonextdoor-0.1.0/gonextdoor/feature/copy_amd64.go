package feature

import (
	"unsafe"

	"golang.org/x/sys/cpu"
)

// hasWide reports whether copyWide can be called.
var hasWide = cpu.X86.HasAVX512F

// prefetch loads the lines of a row of size bytes, at least 1, into the L1 cache.
//
//go:noescape
func prefetch(row uintptr, size int)

// copyWide is copyRows for rows of at least 64 bytes, with AVX-512. A row takes so few instructions that the CPU overlaps the
// cache misses of several rows without prefetches.
//
//go:noescape
func copyWide(to unsafe.Pointer, from []uintptr, size int)
