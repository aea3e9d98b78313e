package gpu_test

import (
	"strings"
	"testing"

	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/kernels"
	"gonextdoor/kernels/function"
)

// TestKernelsTakeTheirParameters starts a kernel with the parameter of another one, which is refused before the launch.
func TestKernelsTakeTheirParameters(t *testing.T) {
	d := device(t)
	err := d.Do(func() error {
		f, err := function.Load(d, "roots_draw")
		if err != nil {
			return err
		}
		return f.Launch(cuda.Grid{Blocks: 1}, cuda.Stream{}, &kernels.Walk{})
	})
	if err == nil || !strings.Contains(err.Error(), "the kernel roots_draw takes the parameter Draw, not Walk") {
		t.Errorf("the error is %v", err)
	}
	_, err = function.Load(d, "roots_drawn")
	if err == nil || !strings.Contains(err.Error(), `there is no kernel "roots_drawn"`) {
		t.Errorf("the error is %v", err)
	}
}
