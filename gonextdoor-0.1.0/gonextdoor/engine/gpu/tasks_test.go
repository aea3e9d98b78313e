package gpu_test

import (
	"fmt"
	"testing"

	"gonextdoor/gonextdoor/cuda/cudatest"
	"gonextdoor/gonextdoor/engine/gpu/gputest"
)

// TestEveryTaskIsDoneOnce takes tasks from the pool of a launch. Each is taken once, and has the right number of rounds.
func TestEveryTaskIsDoneOnce(t *testing.T) {
	d := device(t)
	for _, from := range []int{0, 17} {
		for _, rows := range []int{1, 31, 128, 1000, 3000} {
			for _, blocks := range []int{1, 2, 5} {
				t.Run(fmt.Sprintf("%d rows from %d by %d blocks", rows, from, blocks), func(t *testing.T) {
					counts, err := gputest.CountTasks(d, from, rows, blocks)
					if err != nil {
						t.Fatal(err)
					}
					for i := range from + rows {
						taken, rounds := counts[2*i], counts[2*i+1]
						if i < from && taken+rounds != 0 {
							t.Fatalf("place %d, which is not in the launch, was taken %d times", i, taken)
						}
						if i >= from && (taken != 1 || rounds != uint64(1+i%4)) {
							t.Fatalf("place %d was taken %d times, with %d rounds", i, taken, rounds)
						}
					}
				})
			}
		}
	}
}

// TestTasksThatMakeTasks divides spans of numbers into smaller spans, through a queue from which warps or blocks take tasks.
// Each number is counted once per round, with a large queue and with one of two slots.
func TestTasksThatMakeTasks(t *testing.T) {
	d := device(t)
	share := deviceShare(t, 7)
	orders := uint64(2)
	if cudatest.Real() {
		orders = 1
	}
	for order := uint64(1); order <= orders; order++ {
		if !cudatest.Real() {
			cudatest.Set(t, "seed", order)
		}
		for _, by := range []gputest.By{gputest.Warps, gputest.Blocks} {
			for _, slots := range []int{2, 16, 1024} {
				for _, blocks := range []int{1, 3, 8} {
					for _, numbers := range []int{0, 1, 3000} {
						if !share.Takes() {
							continue
						}
						t.Run(fmt.Sprintf("%s, %d numbers, %d slots, %d blocks, order %d", by, numbers, slots, blocks, order), func(t *testing.T) {
							if err := gputest.GrowTasks(d, by, numbers, slots, blocks); err != nil {
								t.Fatal(err)
							}
						})
					}
				}
			}
		}
	}
}
