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

func newRoom() *room { return &room{check: offheap.Check, step: roomStep} }

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
