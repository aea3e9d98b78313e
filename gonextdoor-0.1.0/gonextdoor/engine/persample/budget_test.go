package persample

import (
	"errors"
	"testing"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/refuse"
)

// Growing samples are refused before memory is used up.
func TestGrowthIsRefusedInTime(t *testing.T) {
	full := refuse.Memory("much needed, little available")
	const step, most = 1000, 5500
	checks := 0
	r := budget{step: step, check: func(bytes int64) error {
		checks++
		if bytes > most {
			return full
		}
		return nil
	}}
	row := app.Row{Vertices: make([]uint32, 3), Edges: make([]uint64, 2), Ends: make([]int32, 2), Parents: make([]int32, 2)}
	row.Links = make([]app.Link, 1)
	const size = 3*4 + 2*8 + 2*4 + 2*4 + 24
	for grown := int64(size); ; grown += size {
		err := r.spend(row)
		if err == nil {
			if grown > most {
				t.Fatalf("%d bytes were accepted", grown)
			}
			continue
		}
		if !errors.Is(err, full) || grown < most-2*step {
			t.Fatalf("%v at %d bytes", err, grown)
		}
		break
	}
	if checks != 5 {
		t.Errorf("memory was checked %d times, expected once per %d bytes", checks, step)
	}
}
