package features

import (
	"errors"
	"fmt"
	"time"

	"gonextdoor/gonextdoor/plan"
	"gonextdoor/kernels"
)

// measure chooses the fastest way to read missed rows of this size, and pins the rows if a kernel reads any. All ways read rows from
// all of the array, because a kernel reads rows of a small one at a higher rate.
func (s *Store) measure() (err error) {
	s.way = ByCopy
	switch {
	case s.rowBytes < plan.FeatureKernelBytes:
		s.why = fmt.Sprintf("rows have %d bytes, and a kernel reads those of %d or more", s.rowBytes, plan.FeatureKernelBytes)
		return nil
	case s.block() == nil:
		s.why = "the rows are not one block of memory"
		return nil
	}
	l := s.link
	l.order.Lock()
	defer l.order.Unlock()
	before, done := l.turn()
	defer done()
	<-before
	if err := s.pin(); err != nil { // the system does not permit it
		s.why = fmt.Sprintf("the rows cannot be pinned: %v", err)
		return nil
	}
	n := max(1, min(plan.FeatureSample/s.rowBytes, s.rows))
	t, err := s.times(n)
	if err != nil {
		return err // the caller unpins the rows
	}
	rate := func(took time.Duration) float64 { return float64(n*s.rowBytes) / 1e9 / took.Seconds() }
	s.why = fmt.Sprintf("measured: %.1f GB/s by copies, %.1f by a kernel, %.1f by both", rate(t.copies), rate(t.kernel), rate(t.both))
	best := min(t.copies, t.kernel, t.both)
	if best == t.copies {
		return s.unpin()
	}
	s.way = ByBoth
	if best == t.kernel {
		s.way = ByKernel
	}
	s.divide(t.share)
	return nil
}

// times are those of reads of the same rows by each way, and the share of the kernel that was read by both.
type times struct {
	copies, kernel, both time.Duration
	share                int
}

// times returns the least times to read n rows of the array, which is pinned.
func (s *Store) times(n int) (t times, err error) {
	l, bytes := s.link, int64(n)*int64(s.rowBytes)
	var gpu arena
	list, order, out := gpu.take(4*int64(n)), gpu.take(orderBytes(n)), gpu.take(bytes)
	m, err := l.device.Alloc(gpu.size, l.search)
	if err != nil {
		return t, err
	}
	defer func() {
		err = errors.Join(err, l.host.Synchronize(), l.copies.Synchronize(), l.device.Free(m, l.search), l.search.Synchronize())
	}()
	ids := make([]uint32, n)
	for i := range ids {
		ids[i] = uint32(uint64(i) * plan.FeatureStride % uint64(n) * uint64(s.rows) / uint64(n))
	}
	if err := l.upload(m.Address+list, ids); err != nil {
		return t, err
	}
	read := func(least *time.Duration, share int) error {
		first := kernelRows(n, share)
		a := kernels.FeatureWrite{Rows: address(s.pinned), From: uint64(m.Address + list), Out: uint64(m.Address + out), Count: uint64(first), Vector: uint64(s.vector)}
		begin := time.Now()
		for range plan.FeatureRounds {
			if first > 0 {
				if err := s.launchHost(a, m.Address+order); err != nil {
					return err
				}
			}
			to := m.Address + out + uintptr(first*s.rowBytes)
			if err := l.gather(s.from, ids[first:], to, s.options.Threads, nil); err != nil {
				return err
			}
		}
		err := errors.Join(l.host.Synchronize(), l.copies.Synchronize())
		*least = min(*least, time.Since(begin)/plan.FeatureRounds)
		return err
	}
	t = times{copies: 1 << 62, kernel: 1 << 62, both: 1 << 62}
	for range 3 {
		err := errors.Join(read(&t.copies, 0), read(&t.kernel, whole))
		t.share = int(whole * t.copies.Seconds() / (t.copies + t.kernel).Seconds())
		if err = errors.Join(err, read(&t.both, t.share)); err != nil {
			return t, err
		}
	}
	return t, nil
}
