package cuda

import (
	"errors"
	"slices"
	"testing"
	"unsafe"

	"gonextdoor/gonextdoor/cuda/cudatest"
)

func TestCopiesAndFills(t *testing.T) {
	on(t, func(d *Device, s Stream) error {
		const n = 10_000
		host, err := d.Pin(4 * n)
		if err != nil {
			return err
		}
		words := unsafe.Slice((*uint32)(host.Pointer), n)
		for i := range words {
			words[i] = uint32(i * i)
		}
		want := append(slices.Clone(words[:n/2]), slices.Repeat([]uint32{0xABCD1234}, n/2)...)
		got := make([]uint32, n)
		a, err := d.Alloc(4*n, s)
		if err != nil {
			return err
		}
		b, err := d.Alloc(4*n, s)
		if err != nil {
			return err
		}
		err = errors.Join(
			d.CopyIn(a.Address, host.Pointer, 4*n, s),
			d.Fill32(b.Address, 0xABCD1234, n, s),
			d.CopyIn(b.Address, host.Pointer, 2*n, s),
			d.CopyOut(unsafe.Pointer(&got[0]), b.Address, 4*n, s),
			d.Free(a, s), d.Free(b, s), d.Free(Memory{}, s),
			d.CopyIn(0, nil, 0, s), d.CopyOut(nil, 0, 0, s), d.Fill32(0, 1, 0, s),
			s.Synchronize(),
			d.Unpin(host), d.Unpin(Pinned{}),
		)
		if err == nil && !slices.Equal(got, want) {
			t.Error("the copied words differ from those written")
		}
		return err
	})
}

func TestOutOfMemorySaysHowMuch(t *testing.T) {
	on(t, func(d *Device, s Stream) error {
		_, err := d.Alloc(4*d.Total, s)
		wants(t, err, "GPU out of memory", Size(4*d.Total), "are free", "cuda:0", "device=\"cpu\"")
		m, err := d.Alloc(1000, s) // the next call succeeds
		return errors.Join(err, d.Free(m, s))
	})
}

func TestFreedMemoryCanBeAllocatedAgain(t *testing.T) {
	on(t, func(d *Device, s Stream) error {
		if err := d.Trim(); err != nil {
			return err
		}
		before, total, err := d.FreeMemory()
		if err != nil {
			return err
		}
		if before > total || before <= 0 {
			t.Errorf("%d of %d bytes are free", before, total)
		}
		share := before / 2
		if !cudatest.Real() {
			share = before / 32 // because the emulated driver writes to all of it
		}
		// Allocate the same share in blocks of different sizes. Unused blocks in the pool must not prevent that.
		for _, pieces := range []int64{3, 7, 2} {
			var held []Memory
			for range pieces {
				m, err := d.Alloc(share/pieces, s)
				if err != nil {
					return err
				}
				held = append(held, m)
			}
			if free, _, err := d.FreeMemory(); err != nil || free > before-share/2 {
				t.Errorf("%d bytes are free of %d while %d are held: %v", free, before, share, err)
			}
			for _, m := range held {
				if err := d.Free(m, s); err != nil {
					return err
				}
			}
		}
		if err := s.Synchronize(); err != nil {
			return err
		}
		if after, _, err := d.FreeMemory(); err != nil || after < before-before/50 {
			t.Errorf("%d bytes were free, and %d are: %v", before, after, err)
		}
		if err := d.Trim(); err != nil {
			return err
		}
		if reserved, used, err := poolUse(d.pool); err != nil || reserved-used > 64<<20 {
			t.Errorf("Trim left %d bytes in the pool, of which %d are in use: %v", reserved, used, err)
		}
		return nil
	})
}

func TestAllocOfNoBytes(t *testing.T) {
	on(t, func(d *Device, s Stream) error {
		for _, bytes := range []int64{0, -1} {
			if m, err := d.Alloc(bytes, s); err != nil || m != (Memory{}) {
				t.Errorf("Alloc(%d) = %v, %v", bytes, m, err)
			}
		}
		return nil
	})
}

func TestPinnedMemoryIsReused(t *testing.T) {
	on(t, func(d *Device, _ Stream) error {
		a, err := d.Pin(100_000)
		if err != nil {
			return err
		}
		if err := d.Unpin(a); err != nil {
			return err
		}
		b, err := d.Pin(70_000) // rounded up to the same power of two
		if err != nil {
			return err
		}
		if a.Pointer != b.Pointer || b.Bytes != 70_000 {
			t.Error("pinned memory was not reused")
		}
		c, err := d.Pin(70_000)
		if err != nil {
			return err
		}
		if c.Pointer == b.Pointer {
			t.Error("two callers have the same pinned memory")
		}
		if err := errors.Join(d.Unpin(b), d.Unpin(c)); err != nil {
			return err
		}
		if d.pinned.unused != 2<<17 {
			t.Errorf("%d bytes stay pinned", d.pinned.unused)
		}
		err = d.Trim()
		if d.pinned.unused != 0 {
			t.Error("Trim left pinned memory")
		}
		return err
	})
}

// A full pool keeps the blocks of the size that was used last.
func TestAFullPoolOfPinnedMemoryFreesOtherSizes(t *testing.T) {
	on(t, func(d *Device, _ Stream) error {
		var all []Pinned
		for range maxUnused / pinnedStep {
			m, err := d.Pin(pinnedStep)
			if err != nil {
				return err
			}
			all = append(all, m)
		}
		other, err := d.Pin(2 * pinnedStep)
		if err != nil {
			return err
		}
		for _, m := range append(all, other) {
			err = errors.Join(err, d.Unpin(m))
		}
		if n := len(d.pinned.free[2*pinnedStep]); n != 1 || d.pinned.unused != maxUnused {
			t.Errorf("%d blocks of the last size stay pinned, %d bytes in all", n, d.pinned.unused)
		}
		return errors.Join(err, d.Trim())
	})
}

func TestSizesOfPinnedMemory(t *testing.T) {
	for bytes, want := range map[int64]int64{
		-1: 64 << 10, 0: 64 << 10, 1: 64 << 10, 64 << 10: 64 << 10, 64<<10 + 1: 128 << 10, 32 << 20: 32 << 20,
		32<<20 + 1: 64 << 20, 1<<30 + 5: 1<<30 + 32<<20,
	} {
		if got := pinnedSize(bytes); got != want {
			t.Errorf("pinnedSize(%d) = %d, expected %d", bytes, got, want)
		}
	}
}
