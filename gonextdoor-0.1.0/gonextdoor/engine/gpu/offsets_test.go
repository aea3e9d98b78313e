package gpu_test

import (
	"fmt"
	"testing"

	"gonextdoor/gonextdoor/engine/gpu/gputest"
)

// TestPrefixSumsOfTops computes the last level of the prefix sums for up to 4 * 10^7 rows, for which no test makes samples.
func TestPrefixSumsOfTops(t *testing.T) {
	d := device(t)
	for _, count := range gputest.TopCounts {
		t.Run(fmt.Sprint(count), func(t *testing.T) {
			if err := gputest.CheckTops(d, count); err != nil {
				t.Fatal(err)
			}
		})
	}
}
