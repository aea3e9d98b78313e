package gpu

import "gonextdoor/gonextdoor/cuda"

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
	Total   int

	Stream cuda.Stream
	Ready  cuda.Event
}

// Wait waits until the samples are there.
func (r *Result) Wait() error { return r.Device.Do(r.Ready.Synchronize) }

// Free gives the memory back once the present work of Stream is done. Whoever reads the result in another stream has
// Stream wait for that before. No result has none.
func (r *Result) Free() error {
	if r == nil {
		return nil
	}
	return r.Device.Do(r.free)
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
