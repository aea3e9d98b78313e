package launch

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"gonextdoor/gonextdoor/cuda"
)

// copied is a range of rows on the host.
type copied struct{ lo, hi int }

func (copied) Return() {}

// pretended is a GPU whose memory fits some rows. It has no device, so that results can be counted.
type pretended struct {
	mu           sync.Mutex
	memory, used int
	made         chan struct{} // receives a value for each range that was made; nil: none is sent
}

func (p *pretended) make(lo, hi int) (*Result, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.used+hi-lo > p.memory {
		return nil, fmt.Errorf("%w: for the rows %d to %d", cuda.ErrMemory, lo, hi)
	}
	p.used += hi - lo
	if p.made != nil {
		p.made <- struct{}{}
	}
	return &Result{Rows: hi - lo, Total: lo}, nil
}

func (p *pretended) out(r *Result) (copied, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.used -= r.Rows
	return copied{r.Total, r.Total + r.Rows}, nil
}

// joinRanges returns an error unless the ranges are all rows in order.
func joinRanges(parts []copied) (copied, error) {
	for i := 1; i < len(parts); i++ {
		if parts[i-1].hi != parts[i].lo {
			return copied{}, fmt.Errorf("the ranges are %v", parts)
		}
	}
	return copied{parts[0].lo, parts[len(parts)-1].hi}, nil
}

func TestRangesAreMadeOnceInOrder(t *testing.T) {
	for memory := 1; memory < 40; memory++ {
		for rows := range 40 {
			p := &pretended{memory: memory}
			all, err := inRanges(rows, p.make, p.out, joinRanges)
			if err != nil || all != (copied{0, rows}) || p.used != 0 {
				t.Fatalf("%d rows, memory for %d: %v, %v, %d rows are left", rows, memory, all, err, p.used)
			}
		}
	}
}

// A range is copied only after the next one has been made, if there is memory for both.
func TestRangesOverlap(t *testing.T) {
	p := &pretended{memory: 100, made: make(chan struct{}, 4)}
	made := 0
	parts, err := inSomeRanges(4, 8, p.make, func(r *Result) (copied, error) {
		for made < min(4, r.Total/r.Rows+2) { // this one, and the next one, which another thread makes
			select {
			case <-p.made:
				made++
			case <-time.After(20 * time.Second):
				return copied{}, errors.New("the next range is not made while one is copied")
			}
		}
		return copied{r.Total, r.Total + r.Rows}, nil
	})
	if err != nil || !slices.Equal(parts, []copied{{0, 2}, {2, 4}, {4, 6}, {6, 8}}) {
		t.Error(parts, err)
	}
}

func TestRangesEndAtAnError(t *testing.T) {
	failed := errors.New("failed")
	p := &pretended{memory: 6}
	_, err := inRanges(8, func(lo, hi int) (*Result, error) {
		if lo > 0 {
			return nil, failed
		}
		return p.make(lo, hi)
	}, p.out, joinRanges)
	if !errors.Is(err, failed) || p.used != 0 {
		t.Errorf("error %v, %d rows are left", err, p.used)
	}
}
