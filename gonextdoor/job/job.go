// Package job lets the caller of a long call watch it and stop it.
package job

import (
	"sync/atomic"

	"gonextdoor/gonextdoor/refuse"
)

// Job is two cells of memory shared with the caller. A nil *Job is one that nobody watches.
type Job struct {
	Stop int64 // set to non-zero by the caller: end soon
	Done int64 // units of work finished so far; what a unit is, the call says
}

// Add counts n more units as done.
func (j *Job) Add(n int64) {
	if j != nil {
		atomic.AddInt64(&j.Done, n)
	}
}

// Err is refuse.ErrInterrupted once the caller has asked to stop. Long loops ask every few milliseconds.
func (j *Job) Err() error {
	if j != nil && atomic.LoadInt64(&j.Stop) != 0 {
		return refuse.ErrInterrupted
	}
	return nil
}
