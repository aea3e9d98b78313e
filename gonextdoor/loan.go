package gonextdoor

import (
	"errors"
	"sync"

	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/dlpack"
)

// loan is memory on a card that stays until all who hold it, the maker and each tensor, have let go.
type loan struct {
	device *cuda.Device
	stream cuda.Stream  // in which it is given back
	free   func() error // gives it back; it is called within Do

	mu      sync.Mutex
	holders int
	strange bool // read in streams that nobody knows any more
}

// Release lets go of the memory; the last who does gives it back.
func (l *loan) Release() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.holders--; l.holders > 0 {
		return nil
	}
	return l.device.Do(func() (err error) {
		if l.strange { // nobody can tell when the readers are done but the device
			err = l.device.Synchronize()
		}
		return errors.Join(err, l.free())
	})
}

// complete waits for an array that others will read in streams that are not named. It is called within Do.
func (l *loan) complete(ready cuda.Event) error {
	l.mu.Lock()
	l.strange = true
	l.mu.Unlock()
	return ready.Synchronize()
}

// tensor gives an array as a DLPack tensor for a stream of another library's, which waits for ready: 1 is the legacy
// default stream, 2 the thread's own, -1 none. The tensor holds the memory. It is called within Do.
func (l *loan) tensor(t dlpack.Tensor, versioned bool, stream int64, ready cuda.Event) (at uintptr, err error) {
	if stream != -1 {
		if err := l.device.Foreign(uintptr(stream)).Wait(ready); err != nil {
			return 0, err
		}
	}
	t.DeviceType, t.DeviceID, t.Code = dlpack.CUDA, int32(l.device.ID), dlpack.Int
	l.mu.Lock()
	defer l.mu.Unlock()
	if at, err = dlpack.New(t, versioned, func() { l.ended(stream) }); err == nil {
		l.holders++
	}
	return at, err
}

// ended is called by the library that had a tensor, in whatever thread. Work that it gave to the default streams comes
// before the memory is used again; of another stream nobody knows whether it still is one.
func (l *loan) ended(stream int64) {
	_ = l.device.Do(func() error {
		if stream != 1 && stream != 2 {
			l.mu.Lock()
			l.strange = true
			l.mu.Unlock()
			return nil
		}
		e, err := l.device.NewEvent()
		if err != nil {
			return err
		}
		return errors.Join(e.Record(l.device.Foreign(uintptr(stream))), l.stream.Wait(e), e.Destroy())
	})
	_ = l.Release() // nobody is there to hear of an error
}
