package pybind

import (
	"runtime/debug"
	"sync"

	"gonextdoor/gonextdoor"
	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/engine"
	"gonextdoor/gonextdoor/engine/neighborbatch"
	"gonextdoor/gonextdoor/feature"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/refuse"
)

// registry maps handles to the objects that Python holds. Handles are never reused. It is safe for concurrent use.
type registry[T any] struct {
	mu   sync.RWMutex
	last int64
	live map[int64]T
}

var (
	graphs            registry[*graph.Graph]
	neighborSamplers  registry[*neighborbatch.Sampler]
	parsedApps        registry[app.App]
	samplers          registry[*gonextdoor.LazySampler]
	neighborSamplings registry[*app.NeighborSampling]
	results           registry[engine.DeviceSamples]
	deviceBatches     registry[engine.DeviceBatches]
	pendingCalls      registry[*neighborbatch.PendingCall]
	deviceRoots       registry[engine.DeviceRoots]
	features          registry[feature.Store]
	featureReads      registry[*feature.Pending]
	featureCaches     registry[*gonextdoor.FeatureCache]
	deviceRows        registry[engine.DeviceRows]
	streams           registry[*edgeStream]
)

// add registers an object and returns its handle.
func (r *registry[T]) add(x T) int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.live == nil {
		r.live = map[int64]T{}
	}
	r.last++
	r.live[r.last] = x
	return r.last
}

// get returns the object of a handle. It also makes memory faults of the calling goroutine panics, which guard converts to
// errors: the goroutine may read a mapped file that was truncated.
func (r *registry[T]) get(handle int64) (T, error) {
	debug.SetPanicOnFault(true)
	r.mu.RLock()
	x, ok := r.live[handle]
	r.mu.RUnlock()
	if !ok {
		return x, refuse.Value("handle %d: no such object", handle)
	}
	return x, nil
}

// drop removes an object and returns it. A second call for the same handle returns false.
func (r *registry[T]) drop(handle int64) (x T, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	x, ok = r.live[handle]
	delete(r.live, handle)
	return x, ok
}

// count returns the number of objects.
func (r *registry[T]) count() int64 {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return int64(len(r.live))
}
