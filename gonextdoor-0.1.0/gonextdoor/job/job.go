// Package job has the progress counter and the cancel flag of a long call.
package job

import (
	"sync/atomic"

	"gonextdoor/gonextdoor/refuse"
)

// Job is memory that a call shares with its caller: Python reads and writes the fields by their address. A nil *Job counts
// nothing and is never stopped. Threads may share a Job.
type Job struct {
	Stop int64 // the caller sets it to non-zero to cancel the call
	Done int64 // finished units of work; the call defines the unit
}

// Add counts n further units as done.
func (j *Job) Add(n int64) {
	if j != nil {
		atomic.AddInt64(&j.Done, n)
	}
}

// Err returns refuse.ErrInterrupted once the caller has cancelled the call. Long loops call it every few milliseconds. It
// costs one atomic load.
func (j *Job) Err() error {
	if j != nil && atomic.LoadInt64(&j.Stop) != 0 {
		return refuse.ErrInterrupted
	}
	return nil
}
