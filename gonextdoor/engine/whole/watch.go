package whole

import (
	"time"

	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/offheap"
)

const (
	watchEvery = 10 * time.Millisecond // memory is looked at no more often
	watchSpare = 256 << 20             // bytes that a sample that grows leaves to others
)

// watch is asked by a sample that grows, every few thousand vertices, whether to go on: not if the job was stopped or the
// memory is nearly used up.
type watch struct {
	job   *job.Job
	next  time.Time // when memory is looked at again
	short error     // memory was too short; sticky
}

// Err returns why the sample is not wanted any more, or nil.
func (w *watch) Err() error {
	if err := w.job.Err(); err != nil {
		return err
	}
	if w.short != nil {
		return w.short
	}
	now := time.Now()
	if now.Before(w.next) {
		return nil
	}
	if w.next.IsZero() { // a short sample never looks
		w.next = now.Add(watchEvery)
		return nil
	}
	w.next = now.Add(watchEvery)
	spare := int64(watchSpare)
	if offheap.Limited() {
		spare = arena
	}
	w.short = checkLeft(spare)
	return w.short
}
