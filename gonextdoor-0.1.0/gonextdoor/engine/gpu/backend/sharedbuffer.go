package backend

import (
	"errors"
	"sync"

	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/dlpack"
)

// sharedBuffer is reference-counted GPU memory. The caller of the run holds one reference, and each tensor another. It is
// safe for concurrent use: consumers may delete tensors in any thread.
type sharedBuffer struct {
	device *cuda.Device
	stream cuda.Stream  // the stream in which the memory is freed
	free   func() error // frees the memory; called within Device.Do

	mu            sync.Mutex // guards the fields below
	references    int
	foreignStream bool // a stream that is unknown, or may not exist any more, has read the memory
}

// Release gives up a reference. The last one frees the memory.
func (b *sharedBuffer) Release() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.references--; b.references > 0 {
		return nil
	}
	return b.device.Do(func() (err error) {
		if b.foreignStream { // wait for the whole device, because the readers' streams are unknown
			err = b.device.Synchronize()
		}
		return errors.Join(err, b.free())
	})
}

// complete waits for an array that will be read in streams that are not named. It is called within Device.Do.
func (b *sharedBuffer) complete(ready cuda.Event) error {
	b.mu.Lock()
	b.foreignStream = true
	b.mu.Unlock()
	return ready.Synchronize()
}

// tensor returns the address of a DLPack tensor for a stream of another library, which waits for ready: 1 is the legacy
// default stream, 2 the per-thread default stream, -1 none. The tensor holds a reference. It is called within Device.Do.
func (b *sharedBuffer) tensor(t dlpack.Tensor, versioned bool, stream int64, ready cuda.Event) (at uintptr, err error) {
	if stream != -1 {
		if err := b.device.ForeignStream(uintptr(stream)).Wait(ready); err != nil {
			return 0, err
		}
	}
	t.DeviceType, t.DeviceID = dlpack.CUDA, int32(b.device.ID)
	b.mu.Lock()
	defer b.mu.Unlock()
	if at, err = dlpack.New(t, versioned, func() { b.tensorDeleted(stream) }); err == nil {
		b.references++
	}
	return at, err
}

// tensorDeleted is called by the library that had a tensor, in any thread. Work that it submitted to a default stream
// precedes the reuse of the memory. Any other stream may no longer exist.
func (b *sharedBuffer) tensorDeleted(stream int64) {
	_ = b.device.Do(func() error {
		if stream != 1 && stream != 2 {
			b.mu.Lock()
			b.foreignStream = true
			b.mu.Unlock()
			return nil
		}
		e, err := b.device.NewEvent()
		if err != nil {
			return err
		}
		return errors.Join(e.Record(b.device.ForeignStream(uintptr(stream))), b.stream.Wait(e), e.Destroy())
	})
	_ = b.Release() // the library cannot handle an error
}
