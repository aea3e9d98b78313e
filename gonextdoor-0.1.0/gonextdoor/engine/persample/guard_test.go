package persample

import (
	"testing"
	"time"

	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/refuse"
)

// A growing sample ends with its job, and stays refused once memory was too short.
func TestWatch(t *testing.T) {
	w := guard{job: &job.Job{}}
	for range 3 {
		if err := w.Err(); err != nil {
			t.Fatal(err)
		}
		w.next = time.Now().Add(-time.Second) // so that the next call checks memory
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
