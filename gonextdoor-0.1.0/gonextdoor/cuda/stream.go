package cuda

import (
	"errors"
	"time"
)

// Stream is a queue of work on a device. The work of one stream runs in order. Stream{} is the legacy default stream.
type Stream struct{ handle handle }

// NewStream returns a stream that does not synchronise with the default stream. The caller destroys it.
func (d *Device) NewStream() (Stream, error) {
	h, err := makeStream()
	return Stream{h}, fault("making a stream", err)
}

// ForeignStream returns the stream of another library that has a handle: 0 and 1 are the legacy default stream, 2 is the
// per-thread default stream. The other library owns it.
func (d *Device) ForeignStream(handle uintptr) Stream { return Stream{handle} }

// Handle returns the CUstream, for other libraries.
func (s Stream) Handle() uintptr { return s.handle }

// Destroy frees a stream once its work is complete. It does not wait.
func (s Stream) Destroy() error { return fault("ending a stream", destroyStream(s.handle)) }

// Wait delays work that is submitted to s after the call until e is reached. The host does not wait.
func (s Stream) Wait(e Event) error { return fault("joining streams", waitFor(s.handle, e.handle)) }

// Synchronize waits on the host until all work of s is complete. It returns errors of that work.
func (s Stream) Synchronize() error {
	return fault("waiting for the GPU", synchronize(s.handle))
}

// capturing reports whether s is recording, see Capture.
func (s Stream) capturing() bool { return isCapturing(s.handle) }

// Event is a position in the work of a stream. The zero value is no event.
type Event struct{ handle handle }

// NewEvent returns an event. It counts as reached until it is recorded. The caller destroys it.
func (d *Device) NewEvent() (Event, error) {
	h, err := makeEvent()
	return Event{h}, fault("making an event", err)
}

// Record sets e to the end of the work that s contains now.
func (e Event) Record(s Stream) error { return fault("recording an event", record(e.handle, s.handle)) }

// Done reports whether e has been reached, without waiting.
func (e Event) Done() (bool, error) {
	err := query(e.handle)
	if errors.Is(err, codeNotReady) {
		return false, nil
	}
	return err == nil, fault("asking how far the GPU is", err)
}

// Synchronize waits on the host until e has been reached.
func (e Event) Synchronize() error {
	return fault("waiting for the GPU", synchronizeEvent(e.handle))
}

// Elapsed returns the time between e and later. Both must have been reached.
func (e Event) Elapsed(later Event) (time.Duration, error) {
	ms, err := elapsed(e.handle, later.handle)
	return time.Duration(ms * float64(time.Millisecond)), fault("reading the GPU's clock", err)
}

// Destroy frees an event. Streams that wait for it still do.
func (e Event) Destroy() error { return fault("ending an event", destroyEvent(e.handle)) }

// Graph is recorded work that can be submitted repeatedly, by one call.
type Graph struct{ handle handle }

// Capture records the work that f submits to s as a graph, without running it. f must not wait for the device. The caller
// destroys the graph.
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

// Launch submits the recorded work to s.
func (g *Graph) Launch(s Stream) error {
	return fault("starting recorded work", launchGraph(g.handle, s.handle))
}

// Destroy frees a graph.
func (g *Graph) Destroy() error { return fault("ending recorded work", destroyGraph(g.handle)) }
