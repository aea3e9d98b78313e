package gputest

import (
	"errors"
	"fmt"
	"sync"

	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/engine/gpu"
)

// CheckVisits counts the vertices of samples on each device, adds up the counts, and compares the sums with want. run returns
// the samples of a device.
func CheckVisits(devices []*cuda.Device, want []int64, run func(d int) (*gpu.Result, error)) (err error) {
	all := make([]*gpu.VisitCounts, len(devices))
	for i, d := range devices {
		if all[i], err = (gpu.Engine{Device: d}).NewVisitCounts(len(want)); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, all[i].Free()) }()
		samples, err := run(i)
		if err != nil {
			return err
		}
		if err := errors.Join(all[i].Add(samples), samples.Free()); err != nil {
			return err
		}
	}
	got, errs := make([]int64, len(want)), make([]error, len(devices))
	var wait sync.WaitGroup
	for i := range devices {
		wait.Go(func() {
			others := append(append([]*gpu.VisitCounts{}, all[:i]...), all[i+1:]...)
			lo, hi := len(want)*i/len(devices), len(want)*(i+1)/len(devices)
			errs[i] = all[i].CopyOut(others, lo, got[lo:hi], 2, nil)
		})
	}
	wait.Wait()
	if err := errors.Join(errs...); err != nil {
		return err
	}
	for v, n := range got {
		if n != want[v] {
			return fmt.Errorf("vertex %d: %d visits, expected %d", v, n, want[v])
		}
	}
	return nil
}
