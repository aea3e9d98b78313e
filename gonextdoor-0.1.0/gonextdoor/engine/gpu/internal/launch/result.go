package launch

import (
	"sync"

	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/plan"
)

// Result is samples in GPU memory. It is complete for work that is submitted to Stream, and after Ready.
type Result struct {
	Device *cuda.Device
	Rows   int
	Width  int // slots per sample; 0: samples differ in length
	Roots  int // the first slots, to which no edge leads

	// Slot s of row r is element s*Stride + r. Vertices has 4 bytes per element, graph.None if there is no vertex. Edges has
	// 8 bytes per element, -1 if there is no edge, and its slots count from the first one after the roots.
	Vertices cuda.Memory
	Edges    cuda.Memory // Memory{}: not requested
	Stride   int

	// If samples differ in length, row r is [Offsets[r], Offsets[r+1]) of Vertices, roots included, and of Edges, with -1 at
	// roots. Offsets have 8 bytes each. There may be memory for more than Total.
	Offsets cuda.Memory
	Total   int // known once Settle has returned

	Layers *LayerArrays // of layered samples, which also differ in length; nil: all others

	Stream cuda.Stream
	Ready  cuda.Event

	settling sync.Mutex // guards the fields below
	later    *raggedRun // the rest of the run, which waits for the lengths on the host; nil: the run is complete
	failed   error      // of the rest of the run
}

// Settled reports whether Settle would return without waiting.
func (r *Result) Settled() bool {
	r.settling.Lock()
	defer r.settling.Unlock()
	return r.later == nil
}

// Settle waits until Total is known, and compacts the samples again if their size was not the expected one. Vertices and
// Edges may not be used before.
func (r *Result) Settle() error {
	r.settling.Lock()
	defer r.settling.Unlock()
	if l := r.later; l != nil {
		r.failed = r.Device.Do(func() error { return l.settle() })
		r.later = nil
	}
	return r.failed
}

// settle finishes the run of a result that was returned early.
func (r *raggedRun) settle() error {
	result := r.Result
	err := result.Ready.Synchronize()
	if err == nil && r.expectedSize() {
		result.Total = int(r.counters[total])
		return r.FreeScratch(nil)
	}
	if err == nil {
		err = result.Ready.Destroy()
		result.Ready = cuda.Event{}
	}
	if err == nil {
		err = r.ChooseVariant() // the graph's layouts may have been evicted
	}
	if err == nil {
		err = r.finish()
	}
	if err == nil {
		_, err = r.Finished()
	}
	if err = r.FreeScratch(err); err != nil {
		_ = result.Discard()
	}
	return err
}

// unsettled are the latest results whose step chunks are still in memory.
var unsettled struct {
	sync.Mutex
	results []*Result
}

// deferSettling adds the result to the unsettled ones, and settles the oldest if there are more than plan.UnsettledResults.
func (r *Result) deferSettling() {
	unsettled.Lock()
	unsettled.results = append(unsettled.results, r)
	var oldest *Result
	if len(unsettled.results) > plan.UnsettledResults {
		oldest = unsettled.results[0]
		unsettled.results = append(unsettled.results[:0], unsettled.results[1:]...)
	}
	unsettled.Unlock()
	if oldest != nil {
		_ = oldest.Settle() // the error is returned to its reader, by the next Settle
	}
}

// Wait waits until the samples are complete.
func (r *Result) Wait() error { return r.Device.Do(r.Ready.Synchronize) }

// Free frees the memory once the present work of Stream is done. A reader in another stream must make Stream wait for it
// before. Free of nil does nothing.
func (r *Result) Free() error {
	if r == nil {
		return nil
	}
	r.settling.Lock()
	defer r.settling.Unlock()
	l := r.later
	r.later = nil
	return r.Device.Do(func() error {
		if l != nil {
			return First(r.Ready.Synchronize(), l.FreeScratch(nil), r.Discard())
		}
		return r.Discard()
	})
}

// Discard frees the memory and the event. It is called within Device.Do.
func (r *Result) Discard() (err error) {
	for _, m := range append(r.Layers.Memory(), &r.Vertices, &r.Edges, &r.Offsets) {
		err = First(err, r.Device.Free(*m, r.Stream))
		*m = cuda.Memory{}
	}
	if r.Ready != (cuda.Event{}) {
		err = First(err, r.Ready.Destroy())
		r.Ready = cuda.Event{}
	}
	return err
}
