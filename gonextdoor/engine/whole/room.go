package whole

import (
	"math"
	"sync/atomic"
	"unsafe"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/offheap"
	"gonextdoor/gonextdoor/refuse"
)

// roomStep is how many bytes samples may take before memory is looked at again.
const roomStep = 128 << 20

// room counts what samples whose size nobody can foresee take as they grow, and refuses while the machine still has
// memory for what has grown to be laid out as a result.
type room struct {
	check       func(bytes int64) error // refuses more than there is
	step        int64                   // as roomStep
	grown, last atomic.Int64            // bytes: by now, and when memory was last looked at
}

func newRoom() *room {
	r := &room{check: offheap.Check, step: roomStep}
	if offheap.Limited() { // Go's heap may take twice what lives in it, and gives no addresses back
		r.step = min(max(offheap.Available()/16, 1<<20), roomStep)
		r.check = func(bytes int64) error { return checkLeft(2 * bytes) }
	}
	return r
}

// begin refuses to begin if Go's heap can hardly grow at all.
func (r *room) begin() error {
	if !offheap.Limited() {
		return nil
	}
	return checkLeft(arena)
}

// checkLeft refuses if Go's heap cannot grow by that many bytes, which nobody asks for yet.
func checkLeft(bytes int64) error {
	if left := offheap.HeapLeft(); left >= 0 && bytes > left {
		return refuse.Memory("%.1f MB more needed for samples as they grow, %.1f MB available: sample in pieces, with first_id",
			float64(bytes)/1e6, float64(left)/1e6)
	}
	return nil
}

// arena is what Go asks of the system at least when its heap grows.
const arena = 64 << 20

func (r *room) take(row app.Row) error {
	if len(row.Vertices) > math.MaxInt32 {
		return refuse.Value("sample %d: %d vertices, expected at most 2^31 - 1, since places have 32 bits", row.ID, len(row.Vertices))
	}
	size := int64(4*len(row.Vertices)+8*len(row.Edges)+4*len(row.Ends)+4*len(row.Parents)) +
		int64(len(row.Links))*int64(unsafe.Sizeof(app.Link{}))
	grown, last := r.grown.Add(size), r.last.Load()
	if grown < last+r.step || !r.last.CompareAndSwap(last, grown) {
		return nil
	}
	return r.check(grown + r.step)
}
