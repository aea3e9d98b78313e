package persample

import (
	"testing"
	"time"

	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/refuse"
)

// A sample that grows is stopped with its job, and once memory was found short it stays so.
func TestWatch(t *testing.T) {
	w := guard{job: &job.Job{}}
	for range 3 {
		if err := w.Err(); err != nil {
			t.Fatal(err)
		}
		w.next = time.Now().Add(-time.Second) // memory is looked at now
	}
	w.short = refuse.Memory("little left")
	if err := w.Err(); refuse.KindOf(err) != refuse.KindMemory {
		t.Errorf("got %v", err)
	}
	w.job.Stop = 1
	if err := w.Err(); refuse.KindOf(err) != refuse.KindInterrupted {
		t.Errorf("got %v", err)
	}
}
