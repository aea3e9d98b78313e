package gonextdoor_test

import (
	"fmt"
	"testing"

	"gonextdoor/gonextdoor"
	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/cuda/cudatest"
	"gonextdoor/gonextdoor/engine/enginetest"
)

// device="auto" takes the CPU for every app if the graph exceeds the memory that graphs may take on the GPU, however slow the
// CPU is.
func TestAutoOnAGraphLargerThanTheBudget(t *testing.T) {
	cudatest.Driver(t)
	if err := cuda.Status(); err != nil {
		t.Skip(err)
	}
	const slow, fast = 1e6, 1e-6 // seconds
	seen := map[string]bool{}
	for _, c := range enginetest.Cases() {
		name := fmt.Sprintf("%T", c.App)
		if seen[name] || c.Graph.NumEdges() == 0 || gonextdoor.Refusal(c.Graph, c.App, c.Width) != nil {
			continue
		}
		seen[name] = true
		for budget, want := range map[string]int{"8": -1, "": 0} {
			t.Setenv("GONEXTDOOR_DEVICE_MEMORY", budget)
			if got := gonextdoor.DeviceFor(c.Graph, c.App, c.Width, 100, slow, fast); got != want {
				t.Errorf("%s, budget %q: device %d, expected %d", c.Name, budget, got, want)
			}
		}
	}
	if len(seen) < 10 {
		t.Errorf("%d apps, expected at least 10", len(seen))
	}
}
