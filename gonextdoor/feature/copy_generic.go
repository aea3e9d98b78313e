//go:build !amd64

package feature

import "unsafe"

// The forms without assembly. Go has no prefetch instruction.

const streams, hasWide = false, false

func copyWide(unsafe.Pointer, []uintptr, int) {}

func prefetch(uintptr, int) {}

func stream(to unsafe.Pointer, row uintptr, size int) { copyRow(to, row, size) }

func fence() {}
