//go:build !cgo

package hooktest

import "gonextdoor/gonextdoor/hook"

// Kernels gives none: this build calls no compiled hooks.
func Kernels() hook.Kernels { return hook.Kernels{} }
