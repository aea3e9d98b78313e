package gpu

import (
	"sync"

	"gonextdoor/gonextdoor/cuda"
)

// streams are the engine's own, one for each device: a run fills the card, and memory that a run gives back is there for
// the next one at once.
var streams struct {
	sync.Mutex
	of map[*cuda.Device]cuda.Stream
}

func (e Engine) stream() (s cuda.Stream, err error) {
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
