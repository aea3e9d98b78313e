package launch

import (
	"strings"
	"unsafe"

	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/kernels"
)

// Numbers of threads.
const (
	Warp           = 32
	LayeredThreads = 256 // of a block that makes layered samples: LayeredThreads of kernels/driver/layered.cuh
)

// Launcher starts kernels in a stream. If a call has several long launches, it submits only a few of them in advance, so that
// a stopped job ends the call soon.
type Launcher struct {
	device   *cuda.Device
	stream   cuda.Stream
	Limited  bool         // the work is cut into several launches, of which at most plan.Flights wait
	inFlight []cuda.Event // after the last limited launches
}

// Threads starts a kernel with one thread for each of n elements.
func (l *Launcher) Threads(k Kernel, n int64, argument unsafe.Pointer, size uintptr) error {
	f, err := l.Function(k)
	if err != nil || n == 0 {
		return err
	}
	block := k.Block
	if block == 0 {
		block = plan.GPUBlock
	}
	blocks := min((n+int64(block)-1)/int64(block), 1<<31-1)
	return f.Launch(cuda.Grid{Blocks: int(blocks), Threads: block}, l.stream, argument, size)
}

// Together starts a kernel by blocks that are all resident at once.
func (l *Launcher) Together(k Kernel, blocks int, argument unsafe.Pointer, size uintptr) error {
	f, err := l.Function(k)
	if err != nil {
		return err
	}
	return f.Launch(cuda.Grid{Blocks: blocks, Threads: k.Block, Cooperative: true}, l.stream, argument, size)
}

// Function returns a kernel, and loads its image at the first use.
func (l *Launcher) Function(k Kernel) (cuda.Function, error) {
	if m := l.device.Loaded(k.Image); m != nil {
		return m.Function(k.Name)
	}
	text, err := k.Text, error(nil)
	if text == nil {
		if text, err = kernels.Image(k.Image); err != nil {
			return cuda.Function{}, err
		}
	}
	m, err := l.device.Load(k.Image, text)
	if err != nil {
		return cuda.Function{}, err
	}
	return m.Function(k.Name)
}

// Admit waits until fewer than plan.Flights limited launches are incomplete. It returns an error if the job was stopped.
func (l *Launcher) Admit(j *job.Job) error {
	if err := j.Err(); err != nil {
		return err
	}
	if len(l.inFlight) < plan.Flights {
		return nil
	}
	oldest := l.inFlight[0]
	l.inFlight = append(l.inFlight[:0], l.inFlight[1:]...)
	return First(oldest.Synchronize(), oldest.Destroy())
}

// Launched counts the present work of the stream as one launch, if launches are limited.
func (l *Launcher) Launched() error {
	if !l.Limited {
		return nil
	}
	done, err := l.device.NewEvent()
	if err != nil {
		return err
	}
	l.inFlight = append(l.inFlight, done)
	return done.Record(l.stream)
}

// end destroys the events of the launcher.
func (l *Launcher) end() (err error) {
	for _, e := range l.inFlight {
		err = First(err, e.Destroy())
	}
	l.inFlight = nil
	return err
}

// RestName returns the name of the kernel for the rows that a kernel leaves. prefix is the part of its name before the variant.
func RestName(name, prefix string) string { return prefix + "_rest" + strings.TrimPrefix(name, prefix) }
