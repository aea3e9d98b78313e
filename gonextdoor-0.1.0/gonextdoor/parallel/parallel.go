// Package parallel runs loops on several threads. A panic or a memory fault becomes an error instead of ending the process.
// The error that is returned does not depend on the number of threads.
package parallel

import (
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"

	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/refuse"
)

// ErrPanic is the cause of every error that was a panic: an error of the library, not of its caller.
var ErrPanic = errors.New("internal error")

// Threads returns n, or GOMAXPROCS if n is below 1.
func Threads(n int) int {
	if n < 1 {
		return runtime.GOMAXPROCS(0)
	}
	return n
}

// For calls f for consecutive pieces [lo, hi) of [0, n), each of chunk indices except the last. It is
//
//	for lo := 0; lo < n; lo += chunk { if err := f(lo, min(lo+chunk, n)); err != nil { return err } }
//
// on several threads (GOMAXPROCS if threads is below 1). The error is that of the first piece, by index, that has one. Pieces
// after one that failed may be omitted. Once j is stopped no further piece begins.
func For(j *job.Job, threads, n, chunk int, f func(lo, hi int) error) error {
	return ForWorker(j, threads, n, chunk, func(_, lo, hi int) error { return f(lo, hi) })
}

// ForWorker is For with the number of the calling worker, from 0 to Workers(threads, n, chunk)-1. No two calls with the same
// number run at once, so data of a worker needs no lock.
func ForWorker(j *job.Job, threads, n, chunk int, f func(worker, lo, hi int) error) error {
	if Workers(threads, n, chunk) == 1 {
		return inOrder(j, n, max(chunk, 1), f)
	}
	var (
		next   atomic.Int64 // pieces begin in order, so all before a failed one have begun
		mu     sync.Mutex
		failed = n // the start of the first failed piece
		first  error
	)
	chunk = max(chunk, 1)
	Do(Workers(threads, n, chunk), func(worker int) error {
		for {
			lo := int(next.Add(1)-1) * chunk
			if lo >= n || lo < 0 {
				return nil
			}
			err := j.Err()
			if err == nil {
				err = Guard(func() error { return f(worker, lo, min(lo+chunk, n)) })
			}
			if err != nil {
				next.Store(int64(n/chunk) + 1)
				mu.Lock()
				if lo < failed {
					failed, first = lo, err
				}
				mu.Unlock()
				return nil
			}
		}
	})
	return first
}

// inOrder is ForWorker in the calling goroutine. It allocates nothing, which counts in calls for one sample.
func inOrder(j *job.Job, n, chunk int, f func(worker, lo, hi int) error) error {
	return Guard(func() error {
		for lo := 0; lo < n && lo >= 0; lo += chunk { // negative after an overflow
			if err := j.Err(); err != nil {
				return err
			}
			if err := f(0, lo, lo+min(chunk, n-lo)); err != nil {
				return err
			}
		}
		return nil
	})
}

// Workers returns the number of workers of ForWorker: Threads(threads), but at most the number of pieces.
func Workers(threads, n, chunk int) int {
	chunk = max(chunk, 1)
	return max(1, min(Threads(threads), (n+chunk-1)/chunk))
}

// Do calls f(0) ... f(threads-1) concurrently and returns the error of the lowest number that has one.
func Do(threads int, f func(worker int) error) error {
	if threads <= 1 {
		return Guard(func() error { return f(0) })
	}
	errs := make([]error, threads)
	var wg sync.WaitGroup
	for w := range threads {
		wg.Go(func() { errs[w] = Guard(func() error { return f(w) }) })
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// Guard calls f and converts a panic to an error: a refusal is returned as it is, anything else is wrapped in ErrPanic.
// Memory faults are panics too, such as reading a mapped file that was truncated.
func Guard(f func() error) (err error) {
	before := debug.SetPanicOnFault(true)
	defer func() {
		debug.SetPanicOnFault(before)
		if p := recover(); p != nil {
			if refusal, ok := p.(*refuse.Refusal); ok { // from code that cannot return an error
				err = refusal
				return
			}
			err = fmt.Errorf("%w: %v\n%s", ErrPanic, p, debug.Stack())
		}
	}()
	return f()
}
