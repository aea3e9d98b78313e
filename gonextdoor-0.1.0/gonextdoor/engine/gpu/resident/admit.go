package resident

import (
	"errors"
	"fmt"
	"time"

	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/gonextdoor/refuse"
)

// admit evicts layouts until the budget permits a layout of that many bytes, with memory to spare for results if possible.
// It allocates nothing. h is what the call holds: replicas of these layouts are freed if nothing else is left. If other calls
// use replicas, it waits for them, but not for ever. It is called within Do.
func (s *store) admit(r *Resident, one fmt.Stringer, bytes int64, h *hold, j *job.Job) error {
	s.lock.Lock()
	defer s.lock.Unlock()
	deadline := time.Now().Add(plan.ReplicaWait * time.Millisecond)
	return s.evictFor(bytes, func(short, free, limit int64) error {
		thinned, busy, err := s.thinHeld(short, h)
		switch {
		case err != nil || thinned:
			return err
		case busy && time.Now().Before(deadline):
			return s.pause(j)
		}
		return s.outOfMemory(r, one, bytes, free, limit)
	})
}

// evictFor evicts layouts until the budget and the GPU have room for that many bytes, with memory to spare for results if
// possible. If no layout is left to evict, it calls further with the bytes that are missing, the free memory and the budget, and
// looks again. It returns the error of further. The lock is held.
func (s *store) evictFor(bytes int64, further func(short, free, limit int64) error) error {
	for {
		free, total, err := s.device.FreeMemory()
		if err != nil {
			return err
		}
		limit, reserve := budget(total)
		short := max(bytes+reserve-free, s.held+bytes-limit)
		if short <= 0 {
			return nil
		}
		evicted, err := s.evictOldest(short)
		switch {
		case err != nil:
			return err
		case evicted:
			continue
		case free >= bytes && s.held+bytes <= limit:
			return nil // it fits, but less than the reserve is left for results
		}
		if err := further(short, free, limit); err != nil {
			return err
		}
	}
}

// pause releases the lock for a millisecond. It returns an error if the job is stopped.
func (s *store) pause(j *job.Job) error {
	s.lock.Unlock()
	defer s.lock.Lock()
	time.Sleep(time.Millisecond)
	return j.Err()
}

// thinHeld frees up to that many bytes of replicas of one layout that no other call holds on this GPU than that of h. busy
// reports whether other calls hold layouts with replicas. The lock is held.
func (s *store) thinHeld(bytes int64, h *hold) (thinned, busy bool, err error) {
	for _, r := range s.residents {
		for _, p := range r.parts {
			if p.replicas == 0 {
				continue
			}
			if p.holds != h.count(p) {
				busy = true
				continue
			}
			return true, busy, s.thin(p, bytes)
		}
	}
	return false, busy, nil
}

// thin frees up to that many bytes of the replicas of a part. The lock is held.
func (s *store) thin(p *part, bytes int64) error {
	freed, err := p.split.thin(p.gpu, bytes)
	p.bytes -= freed
	p.replicas -= freed
	s.held -= freed
	s.replicas -= freed
	return err
}

// ErrRoom is wrapped by the errors of graphs for which a device has too little memory.
var ErrRoom = errors.New("the graph does not fit")

// outOfMemory is the error of admit.
func (s *store) outOfMemory(r *Resident, one fmt.Stringer, bytes, free, limit int64) error {
	bound := ""
	if s.held+bytes > limit {
		bound = fmt.Sprintf(", of %s that graphs may take (GONEXTDOOR_DEVICE_MEMORY)", cuda.Size(limit))
	}
	return refuse.Device(
		"%w on cuda:%d: %s are needed for %s %v of %d vertices and %d edges, %s are free, graphs in use hold %s%s: release other graphs (graph.release_device()), free what other libraries hold (torch.cuda.empty_cache()), or use device=\"cpu\"",
		ErrRoom, s.device.ID, cuda.Size(bytes), kindOf(one), one, r.graph.NumVertices(), r.graph.NumEdges(), cuda.Size(free), cuda.Size(s.held), bound)
}

// kindOf returns what to call a part in an error message.
func kindOf(id fmt.Stringer) string {
	if _, ok := id.(Table); ok {
		return "the table of"
	}
	return "the layout"
}
