package persample

import (
	"math"
	"sync/atomic"
	"unsafe"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/offheap"
	"gonextdoor/gonextdoor/refuse"
)

// budgetStep is the growth of all samples together, in bytes, after which free memory is checked again.
const budgetStep = 128 << 20

// budget counts the bytes of grown samples, whose size is not known in advance. It refuses further growth while there is
// still enough memory to copy the grown samples to a result. Threads share a budget.
type budget struct {
	check       func(bytes int64) error // returns a refusal if that much is not free
	step        int64                   // as budgetStep
	grown, last atomic.Int64            // bytes: in total, and at the last check
}

// newBudget returns the budget of one run.
func newBudget() *budget {
	b := &budget{check: offheap.Check, step: budgetStep}
	if offheap.Limited() { // Go's heap may take twice the live bytes, and keeps its address space
		b.step = min(max(offheap.Available()/16, 1<<20), budgetStep)
		b.check = func(bytes int64) error { return checkLeft(2 * bytes) }
	}
	return b
}

// begin returns a refusal if Go's heap can hardly grow at all.
func (b *budget) begin() error {
	if !offheap.Limited() {
		return nil
	}
	return checkLeft(minHeapGrowth)
}

// checkLeft returns a refusal if Go's heap cannot grow by that many bytes. It allocates nothing.
func checkLeft(bytes int64) error {
	if left := offheap.HeapLeft(); left >= 0 && bytes > left {
		return refuse.Memory("growing samples need %.1f MB more memory, but %.1f MB is available: sample in pieces with first_id",
			float64(bytes)/1e6, float64(left)/1e6)
	}
	return nil
}

// minHeapGrowth is the least number of bytes that Go requests from the system when its heap grows.
const minHeapGrowth = 64 << 20

// spend adds a grown sample. It returns a refusal if the sample has too many vertices or memory runs out.
func (b *budget) spend(row app.Row) error {
	if len(row.Vertices) > math.MaxInt32 {
		return refuse.Value("sample %d has %d vertices: expected at most 2^31 - 1", row.ID, len(row.Vertices))
	}
	size := int64(4*len(row.Vertices)+8*len(row.Edges)+4*len(row.Ends)+4*len(row.Parents)) +
		int64(len(row.Links))*int64(unsafe.Sizeof(app.Link{}))
	grown, last := b.grown.Add(size), b.last.Load()
	if grown < last+b.step || !b.last.CompareAndSwap(last, grown) {
		return nil
	}
	return b.check(grown + b.step)
}
