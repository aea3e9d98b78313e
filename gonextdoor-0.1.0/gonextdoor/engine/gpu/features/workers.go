package features

import (
	"sync"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"

	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/parallel"
)

// workers are threads that gather rows for a GPU, with its context current. They stay as long as the process, and sleep between
// tasks in the operating system. One call wakes all of them; Go's scheduler wakes threads one after another, which takes longer
// than the task.
type workers struct {
	count   int
	begun   atomic.Uint32 // the number of tasks; the workers sleep until it changes
	current atomic.Pointer[task]
}

// task is a loop over consecutive parts of [0, n), which threads take in turn.
type task struct {
	n, part int
	run     func(lo, hi int) error
	job     *job.Job
	ended   func() // called after the first error, to wake threads that wait in run; may be nil
	most    int64  // workers that may join

	next    atomic.Int64  // the number of the part that is taken next
	stopped atomic.Bool   // an error has occurred, and no further part begins
	active  atomic.Int64  // the workers that have joined and not left; closed is added when no other may join
	left    chan struct{} // closed by the last worker that leaves a closed task
	lock    sync.Mutex    // guards err
	err     error         // the first error
}

const closed = int64(1) << 40

// start starts the workers at the first call.
func (w *workers) start(d *cuda.Device) {
	if w.count > 0 {
		return
	}
	w.count = max(1, parallel.Threads(0)-1)
	for range w.count {
		go func() {
			_ = d.Do(func() error { // without a context, the other threads do the work
				for {
					seen := w.begun.Load()
					if t := w.current.Load(); t != nil && t.join() {
						t.work()
						t.leave()
					}
					sleepUntilChanged(&w.begun, seen)
				}
			})
		}()
	}
}

// do runs a task on at most that many threads, the calling one included, and returns its first error. One call runs at a time.
func (w *workers) do(t *task, threads int) error {
	t.most, t.left = int64(min(threads, (t.n+t.part-1)/t.part)-1), make(chan struct{})
	if t.most > 0 {
		w.current.Store(t)
		w.begun.Add(1)
		wakeAll(&w.begun)
	}
	t.work()
	if t.active.Add(closed) != closed {
		<-t.left
	}
	w.current.Store(nil)
	return t.err
}

// join reports whether a worker may take parts. It must call leave then.
func (t *task) join() bool {
	for {
		n := t.active.Load()
		if n >= t.most { // or closed
			return false
		}
		if t.active.CompareAndSwap(n, n+1) {
			return true
		}
	}
}

// leave ends what join began.
func (t *task) leave() {
	if t.active.Add(-1) == closed {
		close(t.left)
	}
}

// work takes parts until none is left.
func (t *task) work() {
	err := parallel.Guard(func() error {
		for !t.stopped.Load() {
			lo := int(t.next.Add(1)-1) * t.part
			if lo >= t.n {
				return nil
			}
			if err := t.job.Err(); err != nil {
				return err
			}
			if err := t.run(lo, min(lo+t.part, t.n)); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil {
		return
	}
	t.lock.Lock()
	defer t.lock.Unlock()
	if t.err == nil {
		t.err = err
	}
	t.stopped.Store(true)
	if t.ended != nil {
		t.ended()
	}
}

// The operations of the futex system call (linux/futex.h), within one process.
const futexWait, futexWake = 0 | 128, 1 | 128

// sleepUntilChanged sleeps while a word has a value. It may return earlier.
func sleepUntilChanged(word *atomic.Uint32, value uint32) {
	_, _, _ = unix.Syscall6(unix.SYS_FUTEX, uintptr(unsafe.Pointer(word)), futexWait, uintptr(value), 0, 0, 0)
}

// wakeAll wakes all threads that sleep until a word changes.
func wakeAll(word *atomic.Uint32) {
	_, _, _ = unix.Syscall6(unix.SYS_FUTEX, uintptr(unsafe.Pointer(word)), futexWake, 1<<30, 0, 0, 0)
}
