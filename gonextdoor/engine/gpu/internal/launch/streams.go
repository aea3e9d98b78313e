package launch

import (
	"sync"

	"gonextdoor/gonextdoor/cuda"
)

// streams has one stream per device, in which all runs submit their work unless the engine has one. Separate streams
// would not be faster, because one run occupies the whole GPU. In a common stream a run can reuse the memory that the
// previous one freed, without waiting.
var streams struct {
	sync.Mutex
	of map[*cuda.Device]cuda.Stream
}

// WorkStream returns the stream of the engine and creates it at the first call for a device. It is called within Device.Do.
func (e Engine) WorkStream() (s cuda.Stream, err error) {
	if e.Stream != nil {
		return *e.Stream, nil
	}
	streams.Lock()
	defer streams.Unlock()
	s, ok := streams.of[e.Device]
	if ok {
		return s, nil
	}
	if s, err = e.Device.NewStream(); err != nil {
		return s, err
	}
	if streams.of == nil {
		streams.of = map[*cuda.Device]cuda.Stream{}
	}
	streams.of[e.Device] = s
	return s, nil
}

// barriers has the counters of grid barriers by stream. The launches of a stream run one after another, so that they share a
// counter, which is cleared once.
var barriers struct {
	sync.Mutex
	of map[barrierKey]cuda.Memory
}

type barrierKey struct {
	device *cuda.Device
	stream cuda.Stream
}

// BarrierOf returns the address of the counter of grid barriers for the launches of a stream; see sync_grid of
// kernels/core/device.cuh. The first call for a stream allocates it, and it stays. It is called within Device.Do.
func BarrierOf(d *cuda.Device, s cuda.Stream) (uintptr, error) {
	barriers.Lock()
	defer barriers.Unlock()
	key := barrierKey{d, s}
	if m, ok := barriers.of[key]; ok {
		return m.Address, nil
	}
	m, err := d.Alloc(4, s)
	if err != nil {
		return 0, err
	}
	if err := d.Fill32(m.Address, 0, 1, s); err != nil {
		return 0, First(err, d.Free(m, s))
	}
	if barriers.of == nil {
		barriers.of = map[barrierKey]cuda.Memory{}
	}
	barriers.of[key] = m
	return m.Address, nil
}
