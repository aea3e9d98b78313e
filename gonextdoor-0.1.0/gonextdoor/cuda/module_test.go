package cuda

import (
	"errors"
	"os"
	"testing"
	"unsafe"

	"gonextdoor/gonextdoor/cuda/cudatest"
	"gonextdoor/kernels"
)

func TestModulesAreLoadedOnce(t *testing.T) {
	on(t, func(d *Device, _ Stream) error {
		image, err := kernels.Image("words")
		if err != nil {
			t.Skip(err)
		}
		a, err := d.Load("words", image)
		if err != nil {
			return err
		}
		b, err := d.Load("words", nil)
		if err != nil || a != b {
			t.Errorf("the second Load returned %p and %v, the first %p", b, err, a)
		}
		f, err := a.Function("words")
		if err != nil {
			return err
		}
		g, err := a.Function("words")
		if err != nil || f != g {
			t.Errorf("two functions have one name: %v", err)
		}
		_, err = a.Function("no_such_kernel")
		wants(t, err, "no_such_kernel", "words")
		return nil
	})
}

func TestDamagedImagesAreRefused(t *testing.T) {
	on(t, func(d *Device, _ Stream) error {
		image, err := kernels.Image("words")
		if err != nil {
			t.Skip(err)
		}
		longer := append([]byte{}, image...)
		longer[8]++ // the length after the header
		for name, image := range map[string][]byte{
			"nothing": nil, "empty": {}, "text": []byte("this is no code\x00"), "short": image[:16], "shorter": image[:7],
			"cut": image[:len(image)-1], "longer": longer, "elf": []byte("\x7fELF"), "no zero": []byte(".version 8.0\n.target sm_75"),
		} {
			_, err := d.Load(name, image)
			wants(t, err, "the kernels \""+name+"\" cannot be loaded")
		}
		if cudatest.Real() { // the emulated driver does not read the image
			for name, image := range map[string]string{
				"ptx":    ".version 8.0\n.target sm_75\n.address_size 64\nthis is no code\x00",
				"future": ".version 99.0\n.target sm_990\n.address_size 64\n\x00",
			} {
				_, err := d.Load(name, []byte(image))
				wants(t, err, "loading the kernels \""+name+"\"", "newer driver")
			}
		}
		_, _, err = d.FreeMemory() // the context is still usable
		return err
	})
}

func TestTruncatedELFImagesAreRefused(t *testing.T) {
	self, err := os.ReadFile("/proc/self/exe")
	if err != nil {
		t.Skip(err)
	}
	if err := checkImage(self); err != nil {
		t.Errorf("a complete ELF file: %v", err)
	}
	for _, n := range []int{5, 63, 64, 1000, len(self) / 2, len(self) - 1} {
		if err := checkImage(self[:n]); !errors.Is(err, errShort) {
			t.Errorf("the first %d of %d bytes: %v", n, len(self), err)
		}
	}
}

func TestImpossibleLaunchesAreRefused(t *testing.T) {
	on(t, func(d *Device, s Stream) error {
		f, err := load(t, d, "words")
		if err != nil {
			return err
		}
		p := parameters{}
		start := func(g Grid, size uintptr) error { return f.Launch(g, s, unsafe.Pointer(&p), size) }
		wants(t, start(Grid{Blocks: 0, Threads: 32}, 24), "words", "0 blocks")
		wants(t, start(Grid{Blocks: 1, Threads: -1}, 24), "words")
		wants(t, start(Grid{Blocks: 1, Threads: 32}, 0), "words")
		wants(t, start(Grid{Blocks: 1, Threads: 32}, 1<<20), "words")
		wants(t, start(Grid{Blocks: 1, Threads: 4096}, 24), "starting the kernel words")
		wants(t, start(Grid{Blocks: 1, Threads: 32, Shared: 1 << 24}, 24), "shared memory", "words")
		most, err := f.Blocks(256, 0)
		if err != nil {
			return err
		}
		if most < d.Multiprocessors {
			t.Errorf("%d blocks fit %d multiprocessors", most, d.Multiprocessors)
		}
		if d.Cooperative {
			wants(t, start(Grid{Blocks: most + 1, Threads: 256, Cooperative: true}, 24), "starting the kernel words")
		}
		fewer, err := f.Blocks(256, d.SharedPerBlock)
		if err != nil {
			return err
		}
		if fewer > most || fewer < d.Multiprocessors {
			t.Errorf("%d blocks with all of the shared memory, %d without", fewer, most)
		}
		if registers, local, err := f.Registers(); err != nil || registers < 0 || local < 0 {
			t.Errorf("%d registers, %d bytes of local memory: %v", registers, local, err)
		}
		return start(Grid{Blocks: 1, Threads: 32}, 24) // the next launch succeeds
	})
}

// The parameters may be part of an object that contains Go pointers, or on a stack that moves when it grows.
func TestParametersInAnyMemory(t *testing.T) {
	on(t, func(d *Device, s Stream) error {
		f, err := load(t, d, "words")
		if err != nil {
			return err
		}
		type held struct {
			name *string
			p    parameters
		}
		name := "words"
		beside := &held{name: &name}
		if err := f.Launch(Grid{Blocks: 1, Threads: 32}, s, unsafe.Pointer(&beside.p), unsafe.Sizeof(beside.p)); err != nil {
			return err
		}
		return deeper(100, f, s)
	})
}

// deeper launches at each level of a recursion that needs 1 KiB of stack per level.
func deeper(depth int, f Function, s Stream) error {
	var frame [1 << 10]byte
	frame[depth] = 1
	p := parameters{}
	if err := f.Launch(Grid{Blocks: int(frame[depth]), Threads: 32}, s, unsafe.Pointer(&p), unsafe.Sizeof(p)); err != nil || depth == 0 {
		return err
	}
	return deeper(depth-1, f, s)
}
