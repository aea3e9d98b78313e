package parallel

import (
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/refuse"
)

func TestForCoversEveryIndexOnce(t *testing.T) {
	for _, threads := range []int{0, 1, 2, 7} {
		for _, n := range []int{0, 1, 9, 10, 11, 1000} {
			for _, chunk := range []int{-1, 1, 10, 2000} {
				seen := make([]int32, n)
				err := For(nil, threads, n, chunk, func(lo, hi int) error {
					for i := lo; i < hi; i++ {
						atomic.AddInt32(&seen[i], 1)
					}
					return nil
				})
				if err != nil {
					t.Fatal(err)
				}
				for i, c := range seen {
					if c != 1 {
						t.Fatalf("threads %d, n %d, chunk %d: index %d ran %d times", threads, n, chunk, i, c)
					}
				}
			}
		}
	}
}

func TestForGivesTheLowestError(t *testing.T) {
	for _, threads := range []int{1, 2, 4, 16} {
		for range 50 {
			err := For(nil, threads, 1000, 3, func(lo, hi int) error {
				for i := lo; i < hi; i++ {
					if i%100 == 77 {
						return fmt.Errorf("index %d", i)
					}
				}
				return nil
			})
			if err == nil || err.Error() != "index 77" {
				t.Fatalf("threads %d: error %v, expected index 77", threads, err)
			}
		}
	}
}

func TestWorkersAreAlone(t *testing.T) {
	busy := make([]int32, Workers(4, 1000, 1))
	err := ForWorker(nil, 4, 1000, 1, func(w, lo, hi int) error {
		if !atomic.CompareAndSwapInt32(&busy[w], 0, 1) {
			return fmt.Errorf("worker %d runs twice", w)
		}
		atomic.StoreInt32(&busy[w], 0)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestPanicsAndFaultsBecomeErrors(t *testing.T) {
	page, err := syscall.Mmap(-1, 0, 4096, syscall.PROT_NONE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Munmap(page)
	var empty []int
	for name, f := range map[string]func(){
		"panic": func() { panic("lost") },
		"index": func() { empty[len(page)] = 1 },
		"fault": func() { empty = append(empty, int(page[7])) },
	} {
		for _, threads := range []int{1, 3} {
			err := For(nil, threads, 10, 1, func(lo, hi int) error {
				if lo == 5 {
					f()
				}
				return nil
			})
			if !errors.Is(err, ErrPanic) {
				t.Errorf("%s on %d threads: error %v", name, threads, err)
			} else if !strings.Contains(err.Error(), "parallel_test.go") {
				t.Errorf("%s: the error does not say where: %v", name, err)
			}
		}
	}
}

func TestStop(t *testing.T) {
	var j job.Job
	var ran atomic.Int64
	err := For(&j, 2, 1000, 1, func(lo, hi int) error {
		if ran.Add(1) == 10 {
			atomic.StoreInt64(&j.Stop, 1)
		}
		return nil
	})
	if !errors.Is(err, refuse.ErrInterrupted) || ran.Load() > 11 {
		t.Fatalf("error %v after %d pieces", err, ran.Load())
	}
}

func TestDo(t *testing.T) {
	err := Do(4, func(w int) error {
		if w > 0 {
			return fmt.Errorf("worker %d", w)
		}
		return nil
	})
	if err == nil || err.Error() != "worker 1" {
		t.Fatalf("error %v, expected worker 1", err)
	}
}

// A panic with a refusal is returned as that refusal, not as an internal error.
func TestARefusalMayBeThrown(t *testing.T) {
	err := Do(2, func(int) error { panic(refuse.Memory("too much")) })
	if refuse.KindOf(err) != refuse.KindMemory || errors.Is(err, ErrPanic) {
		t.Errorf("got %v", err)
	}
}
