package cuda

import (
	"math"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"gonextdoor/gonextdoor/cuda/cudatest"
	"gonextdoor/gonextdoor/refuse"
	"gonextdoor/gonextdoor/rng"
	"gonextdoor/kernels"
)

// on runs f on the first GPU, real or emulated, and skips where there is none.
func on(t *testing.T, f func(d *Device) error) {
	t.Helper()
	cudatest.Driver(t)
	if err := Status(); err != nil {
		t.Skip(err)
	}
	d, err := Open(0)
	if err == nil {
		err = d.Do(func() error { return f(d) })
	}
	if err != nil {
		t.Fatal(err)
	}
}

func load(t *testing.T, d *Device, name string) (Function, error) {
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

// parameters of the kernel words.
type parameters struct{ coordinates, out, count uint64 }

func TestWordsOfTheLaw(t *testing.T) {
	on(t, func(d *Device) error {
		f, err := load(t, d, "words")
		if err != nil {
			return err
		}
		s, err := d.NewStream()
		if err != nil {
			return err
		}
		const n = 5000
		in, err := d.Pin(4 * 8 * n)
		if err != nil {
			return err
		}
		coordinates := unsafe.Slice((*uint64)(in.Pointer), 4*n)
		var want []uint64
		for i := range uint64(n) {
			c := []uint64{uint64(rng.NewStream(i%7, rng.Choices)), i * i * 0x10001, i % 300, i % 256}
			copy(coordinates[4*i:], c)
			want = append(want, rng.Stream(c[0]).Key(c[1]).Word(rng.Slot(c[2], c[3])))
		}
		from, err := d.Alloc(4*8*n, s)
		if err != nil {
			return err
		}
		to, err := d.Alloc(8*n, s)
		if err != nil {
			return err
		}
		got := make([]uint64, n)
		p := parameters{uint64(from.Address), uint64(to.Address), n}
		for _, step := range []func() error{
			func() error { return d.CopyIn(from.Address, in.Pointer, in.Bytes, s) },
			func() error { return f.Launch(Grid{Blocks: 7, Threads: 128}, s, unsafe.Pointer(&p), unsafe.Sizeof(p)) },
			func() error { return d.CopyOut(unsafe.Pointer(&got[0]), to.Address, 8*n, s) },
			s.Synchronize,
			func() error { return d.Free(from, s) },
			func() error { return d.Free(to, s) },
			func() error { return d.Unpin(in) },
			s.Destroy,
		} {
			if err := step(); err != nil {
				return err
			}
		}
		if !slices.Equal(got, want) {
			t.Error("the GPU's words are not the law's")
		}
		return nil
	})
}

var _ = math.Pi
var _ = os.Args
var _ = exec.Command
var _ = strings.Contains
var _ = refuse.KindDevice
