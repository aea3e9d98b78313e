package cuda

import (
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
			t.Errorf("the second Load gave %p and %v, the first %p", b, err, a)
		}
		f, err := a.Function("words")
		if err != nil {
			return err
		}
		g, err := a.Function("words")
		if err != nil || f != g {
			t.Errorf("two functions of one name: %v", err)
		}
		_, err = a.Function("no_such_kernel")
		wants(t, err, "no_such_kernel", "words")
		return nil
	})
}

func TestBrokenCodeIsRefused(t *testing.T) {
	on(t, func(d *Device, _ Stream) error {
		_, err := d.Load("empty", nil)
		wants(t, err, "empty", "install the package again")
		if !cudatest.Real() {
			return nil // the emulated driver does not read images
		}
		image, err := kernels.Image("words")
		if err != nil {
			t.Skip(err)
		}
		broken := append([]byte{}, image...)
		for i := range broken[:64] {
			broken[i] ^= 0x5A
		}
		for name, image := range map[string][]byte{"broken": broken, "text": []byte("this is no code\x00"), "short": image[:16]} {
			_, err := d.Load(name, image)
			wants(t, err, "loading the kernels \""+name+"\"")
		}
		_, _, err = d.Room() // the context is as good as before
		return err
	})
}

func TestLaunchesThatCannotBeAreRefused(t *testing.T) {
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
		if most < d.Processors {
			t.Errorf("%d blocks fit %d processors", most, d.Processors)
		}
		if d.Cooperative {
			wants(t, start(Grid{Blocks: most + 1, Threads: 256, Cooperative: true}, 24), "starting the kernel words")
		}
		fewer, err := f.Blocks(256, d.SharedPerBlock)
		if err != nil {
			return err
		}
		if fewer > most || fewer < d.Processors {
			t.Errorf("%d blocks with all of the shared memory, %d without", fewer, most)
		}
		if registers, local, err := f.Registers(); err != nil || registers < 0 || local < 0 {
			t.Errorf("%d registers, %d bytes of local memory: %v", registers, local, err)
		}
		return start(Grid{Blocks: 1, Threads: 32}, 24) // and the next one works
	})
}

// The struct may lie in one object with Go's pointers, on a stack that grows below the call.
func TestParametersMayLieAnywhere(t *testing.T) {
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

func deeper(depth int, f Function, s Stream) error {
	var room [1 << 10]byte
	room[depth] = 1
	p := parameters{}
	if err := f.Launch(Grid{Blocks: int(room[depth]), Threads: 32}, s, unsafe.Pointer(&p), unsafe.Sizeof(p)); err != nil || depth == 0 {
		return err
	}
	return deeper(depth-1, f, s)
}
