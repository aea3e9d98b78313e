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
