package cuda

import (
	"errors"
	"time"
)

// Stream is a queue of work on a device: what is in one is done in order. Stream{} is the default one.
type Stream struct{ handle handle }

// NewStream makes a stream that does not wait for the default one.
func (d *Device) NewStream() (Stream, error) {
	h, err := makeStream()
	return Stream{h}, fault("making a stream", err)
}

// Foreign is a stream of another library, by its handle: 0 the default one, 1 the same by name, 2 the thread's own.
func (d *Device) Foreign(handle uintptr) Stream { return Stream{handle} }

// Handle is what other libraries know the stream by.
func (s Stream) Handle() uintptr { return s.handle }

// Destroy ends a stream once its work is done.
func (s Stream) Destroy() error { return fault("ending a stream", destroyStream(s.handle)) }

// Wait holds later work of s back until e has been reached.
func (s Stream) Wait(e Event) error { return fault("joining streams", waitFor(s.handle, e.handle)) }

// Synchronize waits until all work of s is done. Errors of the work come out here.
func (s Stream) Synchronize() error {
	return fault("waiting for the GPU", synchronize(s.handle))
}

func (s Stream) capturing() bool { return isCapturing(s.handle) }

// Event is a place in a stream's work.
type Event struct{ handle handle }

// NewEvent makes an event; one that was never recorded counts as reached.
func (d *Device) NewEvent() (Event, error) {
	h, err := makeEvent()
	return Event{h}, fault("making an event", err)
}

// Record puts e behind the present work of s.
func (e Event) Record(s Stream) error { return fault("recording an event", record(e.handle, s.handle)) }

// Done tells whether e has been reached.
func (e Event) Done() (bool, error) {
	err := query(e.handle)
	if errors.Is(err, codeNotReady) {
		return false, nil
	}
	return err == nil, fault("asking how far the GPU is", err)
}

// Synchronize waits until e has been reached.
func (e Event) Synchronize() error {
	return fault("waiting for the GPU", synchronizeEvent(e.handle))
}

// Elapsed is the time from e to later, which both have been reached.
func (e Event) Elapsed(later Event) (time.Duration, error) {
	ms, err := elapsed(e.handle, later.handle)
	return time.Duration(ms * float64(time.Millisecond)), fault("reading the GPU's clock", err)
}

// Destroy ends an event.
func (e Event) Destroy() error { return fault("ending an event", destroyEvent(e.handle)) }

// Graph is work that was recorded once and is started as a whole.
type Graph struct{ handle handle }

// Capture records the work that f puts into s, and does none of it. f must not wait for the device.
func (s Stream) Capture(f func() error) (*Graph, error) {
	if err := beginCapture(s.handle); err != nil {
		return nil, fault("recording work of the GPU", err)
	}
	failed := f()
	g, err := endCapture(s.handle)
	if failed != nil {
		if err == nil {
			_ = destroyGraph(g)
		}
		return nil, failed
	}
	return &Graph{g}, fault("recording work of the GPU", err)
}

// Launch puts the work into s.
func (g *Graph) Launch(s Stream) error {
	return fault("starting recorded work", launchGraph(g.handle, s.handle))
}

// Destroy ends a graph.
func (g *Graph) Destroy() error { return fault("ending recorded work", destroyGraph(g.handle)) }
