package cuda

import (
	"errors"
	"slices"
	"testing"
	"unsafe"

	"gonextdoor/gonextdoor/cuda/cudatest"
)

// onPair calls f with two GPUs that can read each other, within Do of the first.
func onPair(t *testing.T, f func(a, b *Device, bytes int64) error) {
	t.Helper()
	cudatest.Driver(t)
	n, err := Count()
	if err != nil {
		t.Skip(err)
	}
	if n < 2 {
		t.Skip("two GPUs are needed")
	}
	if err := CheckPeers([]int{0, 1}); err != nil {
		t.Skip(err)
	}
	var pair [2]*Device
	for i := range pair {
		if pair[i], err = Open(i); err != nil {
			t.Fatal(err)
		}
	}
	err = pair[0].Do(func() error {
		bytes, err := pair[0].Granularity()
		if err != nil {
			return err
		}
		return f(pair[0], pair[1], bytes)
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestSpanOfTwoGPUs(t *testing.T) {
	onPair(t, func(a, b *Device, bytes int64) error { return writeSpan(t, a, b, bytes) })
}

// A real GPU maps pieces of its memory as it maps those of others.
func TestSpanOfOneGPU(t *testing.T) {
	cudatest.Driver(t)
	if err := Status(); err != nil {
		t.Skip(err)
	}
	d, err := Open(0)
	if err != nil {
		t.Fatal(err)
	}
	if err := CheckPeers([]int{0}); err != nil {
		t.Skip(err)
	}
	err = d.Do(func() error {
		bytes, err := d.Granularity()
		if err != nil {
			return err
		}
		return writeSpan(t, d, d, bytes)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// writeSpan maps a piece of GPU a and one of GPU b at one range, writes the range with a, and reads it with b.
func writeSpan(t *testing.T, a, b *Device, bytes int64) error {
	t.Helper()
	regions := cudatest.Regions
	if cudatest.Real() {
		regions = func() uint64 { return 0 }
	}
	before := regions()
	first, err := a.NewChunk(bytes)
	if err != nil {
		return err
	}
	var second Chunk
	if err := b.Do(func() (err error) {
		second, err = b.NewChunk(2 * bytes)
		return err
	}); err != nil {
		return err
	}
	s, err := NewSpan(3 * bytes)
	if err != nil {
		return err
	}
	err = errors.Join(s.Map(0, first), s.Map(bytes, second), s.Allow(a, 0, 3*bytes), s.Allow(b, 0, 3*bytes))
	if err != nil {
		return err
	}
	for at, want := range map[int64]int{0: a.ID, bytes - 1: a.ID, bytes: b.ID, 3*bytes - 1: b.ID} {
		if id, err := DeviceOf(s.Address + uintptr(at)); id != want || err != nil {
			t.Errorf("byte %d belongs to GPU %d, expected %d (%v)", at, id, want, err)
		}
	}
	// GPU a writes all of it, and GPU b reads it.
	want := make([]uint32, 3*bytes/4)
	for i := range want {
		want[i] = uint32(i * 2654435761)
	}
	got := make([]uint32, len(want))
	stream, err := a.NewStream()
	if err != nil {
		return err
	}
	err = errors.Join(
		a.CopyIn(s.Address, unsafe.Pointer(&want[0]), 3*bytes, stream),
		a.Fill32(s.Address+uintptr(bytes)-4, 7, 2, stream),
		stream.Synchronize(), stream.Destroy(),
	)
	if err != nil {
		return err
	}
	want[bytes/4-1], want[bytes/4] = 7, 7
	err = b.Do(func() error {
		return errors.Join(b.CopyOut(unsafe.Pointer(&got[0]), s.Address, 3*bytes, Stream{}), b.Synchronize())
	})
	if err == nil && !slices.Equal(got, want) {
		t.Error("GPU b read other words than GPU a wrote")
	}
	err = errors.Join(err, s.Unmap(0, 3*bytes), first.Release(), second.Release(), s.Free(), Span{}.Free(), Chunk{}.Release())
	if after := regions(); after != before {
		t.Errorf("%d blocks are allocated, expected %d", after, before)
	}
	return err
}

func TestSpansRefuse(t *testing.T) {
	cudatest.Emulated(t)
	onPair(t, func(a, _ *Device, bytes int64) error {
		_, err := a.NewChunk(4 * a.Total / bytes * bytes)
		wants(t, err, "GPU out of memory", Size(4*a.Total/bytes*bytes), "cuda:0")
		if !errors.Is(err, ErrMemory) {
			t.Errorf("%v is no ErrMemory", err)
		}
		cudatest.Set(t, "fail_chunk", cudatest.Chunks()+1)
		_, err = a.NewChunk(bytes)
		wants(t, err, "GPU out of memory")
		cudatest.Set(t, "fail_chunk", 0)
		cudatest.Set(t, "peers", 0)
		wants(t, CheckPeers([]int{0, 1}), "cuda:0 cannot use the memory of cuda:1", "NVLink")
		wants(t, CheckPeers([]int{0, 99}), "no GPU 99")
		return CheckPeers([]int{0})
	})
}

// The driver refuses to free addresses, or to map them again, while a chunk is mapped.
func TestSpansInUse(t *testing.T) {
	cudatest.Emulated(t)
	onPair(t, func(a, _ *Device, bytes int64) error {
		c, err := a.NewChunk(bytes)
		if err != nil {
			return err
		}
		s, err := NewSpan(bytes)
		if err != nil {
			return err
		}
		if err := errors.Join(s.Map(0, c), s.Allow(a, 0, bytes)); err != nil {
			return err
		}
		if s.Free() == nil || s.Map(0, c) == nil {
			t.Error("a mapped span was freed or mapped again")
		}
		return errors.Join(s.Unmap(0, bytes), s.Free(), c.Release())
	})
}
