package cuda

import (
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unsafe"

	"gonextdoor/gonextdoor/cuda/cudatest"
	"gonextdoor/gonextdoor/refuse"
	"gonextdoor/gonextdoor/rng"
	"gonextdoor/kernels"
)

// on runs f on the first GPU, real or emulated, with a stream. It skips the test if there is no GPU.
func on(t *testing.T, f func(d *Device, s Stream) error) {
	t.Helper()
	cudatest.Driver(t)
	if err := Status(); err != nil {
		t.Skip(err)
	}
	d, err := Open(0)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Do(func() error {
		s, err := d.NewStream()
		if err != nil {
			return err
		}
		return errors.Join(f(d, s), s.Synchronize(), s.Destroy())
	}); err != nil {
		t.Fatal(err)
	}
}

// wants fails the test unless err is a DeviceError that contains all words.
func wants(t *testing.T, err error, words ...string) {
	t.Helper()
	if refuse.KindOf(err) != refuse.KindDevice {
		t.Errorf("%v is no DeviceError", err)
		return
	}
	for _, w := range words {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("%q does not say %q", err, w)
		}
	}
}

// load returns a kernel of the image "words".
func load(t *testing.T, d *Device, name string) (Function, error) {
	t.Helper()
	image, err := kernels.Image("words")
	if err != nil {
		t.Skip(err)
	}
	m, err := d.Load("words", image)
	if err != nil {
		return Function{}, err
	}
	return m.Function(name)
}

// parameters are the parameters of the kernel "words".
type parameters struct{ coordinates, out, count uint64 }

// makeWords computes n random words by one launch. It returns them, and those of package rng.
func makeWords(d *Device, s Stream, f Function, n int, g Grid) (got, want []uint64, err error) {
	got = make([]uint64, n)
	in, err := d.Pin(int64(4 * 8 * n))
	if err != nil {
		return nil, nil, err
	}
	coordinates := unsafe.Slice((*uint64)(in.Pointer), 4*n)
	for i := range uint64(n) {
		c := []uint64{uint64(rng.NewStream(i%7, rng.Choices)), i * i * 0x10001, i % 300, i % 256}
		copy(coordinates[4*i:], c)
		want = append(want, rng.Stream(c[0]).Key(c[1]).Word(rng.Slot(c[2], c[3])))
	}
	m, err := d.Alloc(int64(5*8*n), s)
	if err != nil {
		return nil, nil, err
	}
	out := m.Address + uintptr(4*8*n)
	p := parameters{uint64(m.Address), uint64(out), uint64(n)}
	return got, want, errors.Join(
		d.CopyIn(m.Address, in.Pointer, in.Bytes, s),
		f.Launch(g, s, unsafe.Pointer(&p), unsafe.Sizeof(p)),
		d.CopyOut(unsafe.Pointer(&got[0]), out, int64(8*n), s),
		d.Free(m, s),
		s.Synchronize(),
		d.Unpin(in),
	)
}

func TestRandomWords(t *testing.T) {
	on(t, func(d *Device, s Stream) error {
		f, err := load(t, d, "words")
		if err != nil {
			return err
		}
		for _, g := range []Grid{{Blocks: 7, Threads: 128}, {Blocks: 1, Threads: 32}, {Blocks: 2, Threads: 256, Shared: 60 << 10}, {Blocks: 3, Threads: 64, Cooperative: true}} {
			got, want, err := makeWords(d, s, f, 3000, g)
			if err != nil {
				return err
			}
			if !slices.Equal(got, want) {
				t.Errorf("%+v: the GPU's words differ from those of package rng", g)
			}
		}
		return nil
	})
}

// Go and the kernels use the same offsets for the fields of parameters.
func TestLayoutOfParameters(t *testing.T) {
	on(t, func(d *Device, s Stream) error {
		f, err := load(t, d, "layout")
		if err != nil {
			return err
		}
		var w kernels.Walk
		want := []uint64{
			uint64(unsafe.Offsetof(w.G) + unsafe.Offsetof(w.G.Mirrored)),
			uint64(unsafe.Offsetof(w.B) + unsafe.Offsetof(w.B.Stream)),
			uint64(unsafe.Offsetof(w.T) + unsafe.Offsetof(w.T.End)),
			uint64(unsafe.Offsetof(w.Counts)),
			uint64(unsafe.Sizeof(w)),
		}
		got := make([]uint64, len(want))
		m, err := d.Alloc(int64(8*len(want)), s)
		if err != nil {
			return err
		}
		w.Counts = uint64(m.Address)
		err = errors.Join(
			f.Launch(Grid{Blocks: 1, Threads: 32}, s, unsafe.Pointer(&w), unsafe.Sizeof(w)),
			d.CopyOut(unsafe.Pointer(&got[0]), m.Address, m.Bytes, s),
			d.Free(m, s),
			s.Synchronize(),
		)
		if err == nil && !slices.Equal(got, want) {
			t.Errorf("the offsets are %v in the kernels and %v in Go", got, want)
		}
		return err
	})
}

func TestOpenReturnsTheSameDevice(t *testing.T) {
	on(t, func(d *Device, _ Stream) error {
		again, err := Open(0)
		if err != nil {
			return err
		}
		if again != d {
			t.Error("the second call returned another device")
		}
		if d.Name == "" || d.SM < 70 || d.Multiprocessors < 1 || d.Total <= 0 || d.SharedPerBlock < 48<<10 || d.ThreadsPerMultiprocessor < 1024 {
			t.Errorf("implausible properties: %s sm_%d %d %d %d", d.Name, d.SM, d.Multiprocessors, d.Total, d.SharedPerBlock)
		}
		if Version() < 12000 {
			t.Errorf("driver version %d", Version())
		}
		n, err := Count()
		if err != nil {
			return err
		}
		for _, id := range []int{-1, n, n + 5} {
			_, err := Open(id)
			wants(t, err, "there is no GPU", "CUDA_VISIBLE_DEVICES")
		}
		return nil
	})
}

func TestEveryDeviceWorks(t *testing.T) {
	on(t, func(first *Device, _ Stream) error {
		n, err := Count()
		if err != nil {
			return err
		}
		for id := 1; id < n; id++ {
			d, err := Open(id)
			if err != nil {
				return err
			}
			if d == first || d.ID != id {
				t.Errorf("device %d has the id %d", id, d.ID)
			}
			// Nested in Do of the first device: each device has a separate context, and that of the first is restored.
			if err := d.Do(func() error {
				f, err := load(t, d, "words")
				if err != nil {
					return err
				}
				got, want, err := makeWords(d, Stream{}, f, 1000, Grid{Blocks: 3, Threads: 64})
				if err == nil && !slices.Equal(got, want) {
					t.Errorf("device %d: the words differ from those of package rng", id)
				}
				return err
			}); err != nil {
				return err
			}
		}
		f, err := load(t, first, "words")
		if err != nil {
			return err
		}
		_, _, err = makeWords(first, Stream{}, f, 100, Grid{Blocks: 1, Threads: 64})
		return err
	})
}

func TestThreadsShareADevice(t *testing.T) {
	on(t, func(d *Device, _ Stream) error {
		f, err := load(t, d, "words")
		if err != nil {
			return err
		}
		var all sync.WaitGroup
		failed := make(chan error, 4)
		for range 4 {
			all.Go(func() {
				failed <- d.Do(func() error {
					s, err := d.NewStream()
					if err != nil {
						return err
					}
					for i := range 10 {
						got, want, err := makeWords(d, s, f, 100+37*i, Grid{Blocks: 2, Threads: 64})
						if err != nil {
							return err
						}
						if !slices.Equal(got, want) {
							return errors.New("a thread got other words")
						}
					}
					return s.Destroy()
				})
			})
		}
		all.Wait()
		close(failed)
		for err := range failed {
			if err != nil {
				t.Error(err)
			}
		}
		return nil
	})
}

func TestDoReturnsTheErrorAndNests(t *testing.T) {
	on(t, func(d *Device, _ Stream) error {
		want := errors.New("an error of f")
		err := d.Do(func() error { return d.Do(func() error { return want }) })
		if !errors.Is(err, want) {
			t.Errorf("Do returned %v", err)
		}
		func() {
			defer func() { _ = recover() }()
			_ = d.Do(func() error { panic("on purpose") })
		}()
		_, _, err = d.FreeMemory()
		return err
	})
}

// BenchmarkLaunch measures the cost of a launch on the host, which is most of the fixed cost of a call.
func BenchmarkLaunch(b *testing.B) {
	cudatest.Driver(b)
	if err := Status(); err != nil {
		b.Skip(err)
	}
	d, err := Open(0)
	if err != nil {
		b.Fatal(err)
	}
	image, err := kernels.Image("words")
	if err != nil {
		b.Skip(err)
	}
	err = d.Do(func() error {
		m, err := d.Load("words", image)
		if err != nil {
			return err
		}
		f, err := m.Function("words")
		if err != nil {
			return err
		}
		p := parameters{}
		start := time.Now()
		for b.Loop() {
			if err := f.Launch(Grid{Blocks: 1, Threads: 32}, Stream{}, unsafe.Pointer(&p), unsafe.Sizeof(p)); err != nil {
				return err
			}
		}
		b.ReportMetric(float64(time.Since(start).Nanoseconds())/float64(b.N), "ns/launch")
		return Stream{}.Synchronize()
	})
	if err != nil {
		b.Fatal(err)
	}
}
