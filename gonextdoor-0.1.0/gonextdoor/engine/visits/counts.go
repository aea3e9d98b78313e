package visits

import (
	"errors"
	"slices"
	"sync"

	"gonextdoor/gonextdoor/engine"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/output/view"
	"gonextdoor/gonextdoor/parallel"
)

// Counts are the visits that one call counts. Each device counts in its memory, and Finish adds up. They are safe for
// concurrent use.
type Counts struct {
	to      []int64    // the result; nil: visits are not counted
	threads int        // CPU threads (0: all)
	mu      sync.Mutex // guards the fields below
	host    []int64    // visits that were counted on the host; nil: none
	devices []engine.DeviceVisits
}

// NewCounts returns counts that Finish writes to to. If to is nil, no visits are counted.
func NewCounts(to []int64, threads int) *Counts { return &Counts{to: to, threads: threads} }

// onDevice returns new counters of a device; nil: visits are not counted.
func (c *Counts) onDevice(d engine.Device) (engine.DeviceVisits, error) {
	if c.to == nil {
		return nil, nil
	}
	one, err := d.NewVisits(len(c.to))
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.devices = append(c.devices, one)
	return one, nil
}

// onHost returns counters in host memory; nil: visits are not counted. They are the result itself if no device counts, which
// is known because a device has counters before its samples are made.
func (c *Counts) onHost() []int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.to != nil && c.host == nil {
		if c.host = c.to; len(c.devices) > 0 {
			c.host = make([]int64, len(c.to))
		} else {
			c.clear()
		}
	}
	return c.host
}

// clear writes zeros to the result.
func (c *Counts) clear() {
	_ = parallel.For(nil, c.threads, len(c.to), 1<<18, func(lo, hi int) error {
		clear(c.to[lo:hi])
		return nil
	})
}

// Finish writes the sums to the result and releases the counters of the devices. err is the error of counting, which it
// returns. Each device adds the counts of a range of the vertices, so that all copy to the host at the same time.
func (c *Counts) Finish(err error, j *job.Job) error {
	if err == nil && c.to != nil {
		err = c.sum(j)
	}
	for _, one := range c.devices {
		err = errors.Join(err, one.Release())
	}
	c.devices = nil
	return err
}

// sum writes the sums to the result.
func (c *Counts) sum(j *job.Job) error {
	n, vertices := len(c.devices), len(c.to)
	if n == 0 {
		_ = c.onHost() // zeros if nothing was counted
		return nil
	}
	err := parallel.For(nil, n, n, 1, func(i, _ int) error {
		lo, hi := vertices*i/n, vertices*(i+1)/n
		others := slices.Concat(c.devices[:i], c.devices[i+1:])
		return c.devices[i].CopyOut(others, lo, c.to[lo:hi], c.threads, j)
	})
	if err != nil || c.host == nil {
		return err
	}
	return view.AddCounts(c.host, c.to, c.threads)
}
