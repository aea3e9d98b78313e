package backend

import (
	"sync"

	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/offheap"
	"gonextdoor/gonextdoor/plan"
)

// streams holds the stream of each GPU in which results that stay there are made.
var streams struct {
	sync.Mutex
	of map[*cuda.Device]*cuda.Stream
}

// resultStream returns the GPU's stream for results and creates it at the first call. It is called within Device.Do.
func resultStream(d *cuda.Device) (*cuda.Stream, error) {
	streams.Lock()
	defer streams.Unlock()
	if s := streams.of[d]; s != nil {
		return s, nil
	}
	s, err := d.NewStream()
	if err != nil {
		return nil, err
	}
	if streams.of == nil {
		streams.of = map[*cuda.Device]*cuda.Stream{}
	}
	streams.of[d] = &s
	return &s, nil
}

// keepHostBlocks lets the pool of results keep large blocks of host memory for reuse: copies from a GPU are several times
// faster than the system provides fresh pages.
var keepHostBlocks = sync.OnceFunc(func() {
	if left := offheap.Available(); left > 0 {
		offheap.Results.KeepMore(min(plan.DeviceKeep, left/16))
	}
})
