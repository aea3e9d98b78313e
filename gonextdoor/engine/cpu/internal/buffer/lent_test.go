package buffer

import (
	"errors"
	"testing"
	"unsafe"

	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/offheap"
	"gonextdoor/gonextdoor/refuse"
)

// The job is in the memory that the array grows into, so that the copy of its second piece cancels it.
func TestGrowthEndsWhenItsJobIsCancelled(t *testing.T) {
	const n, piece = 40 << 20 / 8, copyPiece / 8
	var small, large []int64
	for _, s := range []*[]int64{&small, &large} {
		size := n
		if s == &large {
			size *= 2
		}
		if err := GrowLent(s, size, nil); err != nil {
			t.Fatal(err)
		}
	}
	clear(large)
	for i := range small {
		small[i] = int64(i) + 1
	}
	old := large
	j := (*job.Job)(unsafe.Pointer(&old[piece+9]))
	Return(large)
	lent, before := offheap.Results.Out(), &small[0]
	err := GrowLent(&small, 2*n, j)
	if !errors.Is(err, refuse.ErrInterrupted) || j.Stop != piece+10 {
		t.Fatalf("error %v, job %+v", err, *j)
	}
	if old[2*piece-1] != 2*piece || old[2*piece] != 0 {
		t.Error("the copy did not end after the piece in which it was cancelled")
	}
	if len(small) != n || &small[0] != before || offheap.Results.Out() != lent {
		t.Errorf("the array or the number of lent blocks changed: %d, %d instead of %d", len(small), offheap.Results.Out(), lent)
	}
	if err := GrowLent(&small, 2*n, new(job.Job)); err != nil || len(small) != 2*n || small[n-1] != n {
		t.Errorf("a job that is not cancelled: error %v, %d elements", err, len(small))
	}
	Return(small)
}
