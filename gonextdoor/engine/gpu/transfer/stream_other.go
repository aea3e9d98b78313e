//go:build !amd64

package transfer

import "unsafe"

const hasStoreAround = false

func storeAround(unsafe.Pointer, unsafe.Pointer, int) {}
