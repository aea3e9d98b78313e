package gpu

import (
	"sync"

	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/plan"
)

// Result is samples on a card. It holds for work that is put into Stream, or behind Ready.
type Result struct {
	Device *cuda.Device
	Rows   int
	Width  int // slots of a sample, or 0 where samples differ in length
	Roots  int // the first slots, which no edge led to

	// Slot s of row r is at s*Stride + r: an element of Vertices has 4 bytes, graph.None where there is no vertex; one of
	// Edges has 8, -1 where there is no edge, and slots count from behind the roots.
	Vertices cuda.Memory
	Edges    cuda.Memory // Memory{}: they were not wanted
	Stride   int

	// Where samples differ in length, row r is [Offsets[r], Offsets[r+1]) of Vertices, roots included, and of Edges, with
	// -1 at roots. Offsets have 8 bytes. There may be memory for more than Total.
	Offsets cuda.Memory
	Total   int // known once Settle has returned

	Stream cuda.Stream
	Ready  cuda.Event

	settling sync.Mutex
	later    *laying // what is left to do once the host knows the lengths
	failed   error
}

// Settled says whether Settle would wait.
func (r *Result) Settled() bool {
	r.settling.Lock()
	defer r.settling.Unlock()
	return r.later == nil
}

// Settle waits until Total is known, and lays the samples out again where their length was misjudged. Before, nothing is
// known of Vertices and Edges.
func (r *Result) Settle() error {
	r.settling.Lock()
	defer r.settling.Unlock()
	if l := r.later; l != nil {
		r.failed = r.Device.Do(func() error { return l.settle() })
		r.later = nil
	}
	return r.failed
}

func (l *laying) settle() error {
	err := l.result.Ready.Synchronize()
	if err == nil && l.guessed() {
		l.result.Total = int(l.counters[total])
		return l.give(nil)
	}
	if err == nil {
		err = l.result.Ready.Destroy()
		l.result.Ready = cuda.Event{}
	}
	if err == nil {
		err = l.way() // the graph may have given way to others
	}
	if err == nil {
		err = l.finish()
	}
	if err == nil {
		_, err = l.ready()
	}
	if err = l.give(err); err != nil {
		_ = l.result.free()
	}
	return err
}

// unsettled are the results whose memory for legs is kept, the last ones.
var unsettled struct {
	sync.Mutex
	results []*Result
}

// wait keeps an unsettled result among the last ones, and settles the one that was among them longest.
func (r *Result) wait() {
	unsettled.Lock()
	unsettled.results = append(unsettled.results, r)
	var oldest *Result
	if len(unsettled.results) > plan.Unsettled {
		oldest = unsettled.results[0]
		unsettled.results = append(unsettled.results[:0], unsettled.results[1:]...)
	}
	unsettled.Unlock()
	if oldest != nil {
		_ = oldest.Settle() // who asks for it is told
	}
}

// Wait waits until the samples are there.
func (r *Result) Wait() error { return r.Device.Do(r.Ready.Synchronize) }

// Free gives the memory back once the present work of Stream is done. Whoever reads the result in another stream has
// Stream wait for that before. No result has none.
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
			return first(r.Ready.Synchronize(), l.give(nil), r.free())
		}
		return r.free()
	})
}

func (r *Result) free() (err error) {
	for _, m := range []*cuda.Memory{&r.Vertices, &r.Edges, &r.Offsets} {
		err = first(err, r.Device.Free(*m, r.Stream))
		*m = cuda.Memory{}
	}
	if r.Ready != (cuda.Event{}) {
		err = first(err, r.Ready.Destroy())
		r.Ready = cuda.Event{}
	}
	return err
}
