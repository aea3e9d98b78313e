package persample

import (
	"time"

	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/offheap"
)

const (
	checkEvery = 10 * time.Millisecond // the least time between two checks of free memory
	spareBytes = 256 << 20             // free bytes that a growing sample leaves to other users of the machine
)

// guard ends the growth of a sample if the job is cancelled or memory is nearly used up. It is the row's Watch, which a
// growing sample calls every few thousand vertices. It serves one thread.
type guard struct {
	job   *job.Job
	next  time.Time // of the next check of memory
	short error     // the refusal, once memory was too short
}

// Err returns the reason to stop growing, or nil.
func (g *guard) Err() error {
	if err := g.job.Err(); err != nil {
		return err
	}
	if g.short != nil {
		return g.short
	}
	now := time.Now()
	if now.Before(g.next) {
		return nil
	}
	if g.next.IsZero() { // the first call only sets the time, so that short samples never check
		g.next = now.Add(checkEvery)
		return nil
	}
	g.next = now.Add(checkEvery)
	spare := int64(spareBytes)
	if offheap.Limited() {
		spare = minHeapGrowth
	}
	g.short = checkLeft(spare)
	return g.short
}
