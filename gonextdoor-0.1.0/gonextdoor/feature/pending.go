package feature

import (
	"sync/atomic"
	"time"

	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/refuse"
)

// Pending is a read that runs in the background.
type Pending struct {
	job      job.Job
	finished chan struct{}
	err      error
}

// Start begins to read rows and returns. It copies the ids. The caller keeps q.Values until the read is done.
func Start(s Store, q Request) (*Pending, error) {
	ids := make([]int64, q.IDs.Count)
	if err := q.IDs.Copy(0, ids, s.Rows()); err != nil {
		return nil, err
	}
	p := &Pending{finished: make(chan struct{})}
	q.IDs, q.Job = Of(ids), &p.job
	go func() {
		defer close(p.finished)
		p.err = s.Read(q)
	}()
	return p, nil
}

// Wait waits at most the given time; a negative one is unlimited. It reports whether the read is done, and its error.
func (p *Pending) Wait(most time.Duration) (done bool, err error) {
	if most < 0 {
		<-p.finished
		return true, p.err
	}
	timer := time.NewTimer(most)
	defer timer.Stop()
	select {
	case <-p.finished:
		return true, p.err
	case <-timer.C:
		return false, nil
	}
}

// Stop stops the read and waits for its end. It returns an error that is not the stop.
func (p *Pending) Stop() error {
	atomic.StoreInt64(&p.job.Stop, 1)
	if _, err := p.Wait(-1); refuse.KindOf(err) != refuse.KindInterrupted {
		return err
	}
	return nil
}
