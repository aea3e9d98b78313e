package transfer

import "unsafe"

// hasStoreAround reports whether storeAround can be called. It uses SSE2, which every amd64 CPU supports.
const hasStoreAround = true

// storeAround copies n bytes, a positive multiple of storeLine, with stores that bypass the caches. to is a multiple of 16.
//
//go:noescape
func storeAround(to, from unsafe.Pointer, n int)
