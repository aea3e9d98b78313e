//go:build !cgo

package hooktest

import "gonextdoor/gonextdoor/hook"

// Kernels returns no hooks: this build calls no compiled hooks.
func Kernels() hook.Kernels { return hook.Kernels{} }
