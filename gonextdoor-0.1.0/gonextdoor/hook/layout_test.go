//go:build cgo

package hook_test

import (
	"testing"
	"unsafe"

	"gonextdoor/gonextdoor/hook"
	"gonextdoor/gonextdoor/hook/hooktest"
)

func TestCompilersAgreeOnTheSizes(t *testing.T) {
	run, block := hooktest.Sizes()
	if run != uint64(unsafe.Sizeof(hook.Run{})) || block != uint64(unsafe.Sizeof(hook.Block{})) {
		t.Errorf("C has %d and %d bytes, Go %d and %d", run, block, unsafe.Sizeof(hook.Run{}), unsafe.Sizeof(hook.Block{}))
	}
}
