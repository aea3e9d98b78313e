package gpu_test

import (
	"fmt"
	"testing"

	"gonextdoor/gonextdoor/engine/gpu/gputest"
)

// TestScansWithout has groups of every size draw candidates by 64-bit biases, by each form of kernels/selector/scanwithout.cuh, and
// compares the picks with the serial definition. On the emulated driver it makes one in 3 of the longer choices.
func TestScansWithout(t *testing.T) {
	d, share := device(t), deviceShare(t, 3)
	choices := gputest.ScanCorpus(3)
	for form := range gputest.ScanForms {
		want := gputest.ScanPicks(form, choices)
		for _, threads := range gputest.ScanGroups {
			if !share.Takes() {
				continue
			}
			t.Run(fmt.Sprintf("form %d by %d", form, threads), func(t *testing.T) {
				if err := gputest.CheckScans(d, form, choices, want, threads); err != nil {
					t.Fatalf("%.2000s", err)
				}
			})
		}
	}
}
