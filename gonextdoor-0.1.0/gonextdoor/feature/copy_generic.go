//go:build !amd64

package feature

import "unsafe"

// The forms without assembly. Go has no prefetch instruction.

const hasWide = false

func copyWide(unsafe.Pointer, []uintptr, int) {}

func prefetch(uintptr, int) {}
