package features

import (
	"errors"
	"sync"
	"time"

	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/plan"
)

// whole is the share of all missed rows.
const whole = 1 << 16

// balance divides the missed rows of a store between the kernel that reads them from host memory and CPU threads. The share of the
// kernel follows from the rates of both in the latest reads, so that they take equally long. It affects speed only.
type balance struct {
	sync.Mutex
	fixed   bool // the share does not change
	share   int  // of whole
	kernel  rate
	threads rate
	timed   []timed // reads by the kernel whose times have not been taken
}

// rate is the rows per second of one way, in the latest reads.
type rate struct{ rows, seconds float64 }

// add counts a read. Earlier ones count less.
func (r *rate) add(rows int, t time.Duration) {
	r.rows = plan.FeatureMemory*r.rows + float64(rows)
	r.seconds = plan.FeatureMemory*r.seconds + t.Seconds()
}

// timed is a read by the kernel between two events.
type timed struct {
	begun, ended cuda.Event
	rows         int
}

// destroy destroys the events that have been made.
func (t timed) destroy() (err error) {
	for _, e := range []cuda.Event{t.begun, t.ended} {
		if e != (cuda.Event{}) {
			err = errors.Join(err, e.Destroy())
		}
	}
	return err
}

// kernelRows returns how many of a number of missed rows the kernel reads, as write_features computes it.
func kernelRows(missed, share int) int { return missed * share >> 16 }

// fix sets a share that does not change.
func (b *balance) fix(share int) { b.share, b.fixed = share, true }

// current returns the share of the next read.
func (b *balance) current() int {
	b.Lock()
	defer b.Unlock()
	return b.share
}

// addThreads counts rows that threads have gathered.
func (b *balance) addThreads(rows int, t time.Duration) {
	b.Lock()
	defer b.Unlock()
	if rows > 0 && !b.fixed {
		b.threads.add(rows, t)
		b.adapt()
	}
}

// addKernel takes over the events of a read by the kernel, whose time is counted once it is complete.
func (b *balance) addKernel(t timed) {
	b.Lock()
	defer b.Unlock()
	b.timed = append(b.timed, t)
}

// collect counts the reads by the kernel that are complete, and destroys their events. It is called within Device.Do.
func (b *balance) collect() (err error) {
	b.Lock()
	defer b.Unlock()
	for len(b.timed) > 0 {
		t := b.timed[0]
		done, err := t.ended.Done()
		if err == nil && !done {
			break
		}
		b.timed = b.timed[1:]
		var took time.Duration
		if err == nil {
			took, err = t.begun.Elapsed(t.ended)
		}
		if err = errors.Join(err, t.destroy()); err != nil {
			return err
		}
		if t.rows > 0 && !b.fixed {
			b.kernel.add(t.rows, took)
			b.adapt()
		}
	}
	return nil
}

// adapt sets the share at which both ways take equally long. Both keep a part, so that their rates remain known. The lock is held.
func (b *balance) adapt() {
	if b.kernel.seconds <= 0 || b.threads.seconds <= 0 {
		return
	}
	kernel, threads := b.kernel.rows/b.kernel.seconds, b.threads.rows/b.threads.seconds
	share := int(whole * kernel / (kernel + threads))
	b.share = min(max(share, whole/plan.FeatureLeast), whole-whole/plan.FeatureLeast)
}
