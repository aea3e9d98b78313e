package feature

import (
	"unsafe"

	"golang.org/x/sys/cpu"
)

// hasWide reports whether copyWide can be called.
var hasWide = cpu.X86.HasAVX512F

// streams reports whether stream is faster than copy for large results. It writes past the caches.
const streams = true

// prefetch loads the lines of a row of size bytes, at least 1, into the L1 cache.
//
//go:noescape
func prefetch(row uintptr, size int)

// stream copies a row by non-temporal stores. size is a positive multiple of 16, and to is aligned to 16 bytes.
//
//go:noescape
func stream(to unsafe.Pointer, row uintptr, size int)

// copyWide is copyRows for rows of at least 64 bytes, with AVX-512. A row takes so few instructions that the CPU overlaps the
// cache misses of several rows without prefetches.
//
//go:noescape
func copyWide(to unsafe.Pointer, from []uintptr, size int)

// fence orders the stores of stream before later ones, such as those that tell other threads of the result.
func fence()
