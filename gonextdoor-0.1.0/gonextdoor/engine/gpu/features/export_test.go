package features

import (
	"errors"
	"time"
	"unsafe"
)

// Cached returns the row of each slot of a store that looks ahead, once all reads so far have planned. ^0 is none. It also
// reports whether the table of places has the same content.
func (s *Store) Cached() (owners []uint32, agree bool, err error) {
	l := s.link
	owners, places := make([]uint32, s.options.Slots), make([]uint32, s.rows)
	err = l.device.Do(func() error {
		return errors.Join(
			l.device.CopyOut(unsafe.Pointer(unsafe.SliceData(owners)), s.ahead.owners, 4*int64(len(owners)), l.search),
			l.device.CopyOut(unsafe.Pointer(unsafe.SliceData(places)), s.places.Address, 4*int64(len(places)), l.search),
			l.search.Synchronize(),
		)
	})
	want := make([]uint32, s.rows)
	for i := range want {
		want[i] = none
	}
	for slot, row := range owners {
		if row != none {
			want[row] = uint32(slot)
		}
	}
	agree = true
	for i := range want {
		agree = agree && want[i] == places[i]
	}
	return owners, agree, err
}

// OpensWhileAnotherWaits reports whether a thread fills a piece that is opened while another thread waits for a later piece. The
// first thread has seen that the piece was not open. A limit of time ends the attempt.
func OpensWhileAnotherWaits(limit time.Duration) bool {
	g, opened := &gathering{}, make(chan error, 1)
	g.waiting.Lock() // as the other thread does, which waits until this piece has been sent
	defer g.waiting.Unlock()
	go func() { opened <- g.open(3) }()
	time.Sleep(limit / 100)
	g.opened.Store(4)
	g.change()
	select {
	case err := <-opened:
		return err == nil
	case <-time.After(limit):
		return false
	}
}

// ShareOf returns the share of the missed rows, of 65536, that the kernel reads next.
func ShareOf(s *Store) int { return s.balance.current() }

// ShareOfRates returns the share after reads with these rates of the kernel and of threads.
func ShareOfRates(kernel, threads float64, reads int) int {
	b := &balance{share: whole / 2}
	b.count(kernel, threads, reads)
	return b.share
}

// ShareAfterChange returns the share after as many reads with one pair of rates and then with another.
func ShareAfterChange(kernel, threads, kernelThen, threadsThen float64, reads int) int {
	b := &balance{share: whole / 2}
	b.count(kernel, threads, reads)
	b.count(kernelThen, threadsThen, reads)
	return b.share
}

// count counts reads of 10,000 rows with rates in millions of rows per second.
func (b *balance) count(kernel, threads float64, reads int) {
	for range reads {
		b.kernel.add(10000, time.Duration(1e7/kernel))
		b.addThreads(10000, time.Duration(1e7/threads))
	}
}

// BucketShift returns the shift by which ids of rows become numbers of buckets.
func BucketShift(s *Store) int { return s.bucketShift() }
