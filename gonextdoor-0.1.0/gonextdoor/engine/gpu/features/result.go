package features

import (
	"errors"

	"gonextdoor/gonextdoor/cuda"
)

// Result is the rows of a read in GPU memory, one after another.
type Result struct {
	Device *cuda.Device
	Bytes  int64

	misses    int
	stream    cuda.Stream // the result is freed in it
	memory    cuda.Memory
	given     uintptr // memory of the caller, instead
	ready     cuda.Event
	submitted chan struct{} // closed when ready and err are set
	err       error
}

func newResult(l *link) *Result {
	return &Result{Device: l.device, stream: l.frees, submitted: make(chan struct{})}
}

// Done reports whether Wait would return without waiting.
func (r *Result) Done() bool {
	select {
	case <-r.submitted:
		return true
	default:
		return false
	}
}

// Wait waits until all ids have been checked and all missed rows have been gathered. The copies of the GPU may still be in
// progress: see Ready. The ids may be freed afterwards.
//
// Errors: IndexError for an id that is out of range; an error of the rows' file; ErrInterrupted once the job is stopped.
func (r *Result) Wait() error {
	<-r.submitted
	return r.err
}

// Misses returns how many rows were not in GPU memory, once Wait has returned nil.
func (r *Result) Misses() int { return r.misses }

// Address returns the address of the rows.
func (r *Result) Address() uintptr {
	if r.given != 0 {
		return r.given
	}
	return r.memory.Address
}

// Ready returns the event that is reached when the rows are complete, once Wait has returned, and the stream in which they are
// freed.
func (r *Result) Ready() (cuda.Event, cuda.Stream) { return r.ready, r.stream }

// Free frees the memory once the present work of the stream of Ready is done. It waits like Wait. Of memory of the caller it waits
// for the rows instead.
func (r *Result) Free() error {
	<-r.submitted
	return r.Device.Do(r.FreeInside)
}

// FreeInside is Free within Device.Do, after Wait.
func (r *Result) FreeInside() error {
	if r.ready == (cuda.Event{}) {
		return r.Device.Free(r.memory, r.stream)
	}
	var err error
	if r.given != 0 {
		err = r.ready.Synchronize() // the caller may free its memory
	} else {
		err = errors.Join(r.stream.Wait(r.ready), r.Device.Free(r.memory, r.stream))
	}
	err = errors.Join(err, r.ready.Destroy())
	r.memory, r.ready = cuda.Memory{}, cuda.Event{}
	return err
}
