package gpu

import (
	"unsafe"

	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/kernels"
)

// launcher starts kernels in a stream. If a call has several long launches, it submits only a few of them in advance, so that
// a stopped job ends the call soon.
type launcher struct {
	device   *cuda.Device
	stream   cuda.Stream
	limited  bool         // the work is cut into several launches, of which at most plan.Flights wait
	inFlight []cuda.Event // after the last limited launches
}

// threads starts a kernel with one thread for each of n elements.
func (l *launcher) threads(k kernel, n int64, argument unsafe.Pointer, size uintptr) error {
	f, err := l.function(k)
	if err != nil || n == 0 {
		return err
	}
	block := k.block
	if block == 0 {
		block = plan.GPUBlock
	}
	blocks := min((n+int64(block)-1)/int64(block), 1<<31-1)
	return f.Launch(cuda.Grid{Blocks: int(blocks), Threads: block}, l.stream, argument, size)
}

// together starts a kernel by blocks that are all resident at once.
func (l *launcher) together(k kernel, blocks int, argument unsafe.Pointer, size uintptr) error {
	f, err := l.function(k)
	if err != nil {
		return err
	}
	return f.Launch(cuda.Grid{Blocks: blocks, Threads: k.block, Cooperative: true}, l.stream, argument, size)
}

// function returns a kernel, and loads its image at the first use.
func (l *launcher) function(k kernel) (cuda.Function, error) {
	if m := l.device.Loaded(k.image); m != nil {
		return m.Function(k.name)
	}
	text, err := k.text, error(nil)
	if text == nil {
		if text, err = kernels.Image(k.image); err != nil {
			return cuda.Function{}, err
		}
	}
	m, err := l.device.Load(k.image, text)
	if err != nil {
		return cuda.Function{}, err
	}
	return m.Function(k.name)
}

// admit waits until fewer than plan.Flights limited launches are incomplete. It returns an error if the job was stopped.
func (l *launcher) admit(j *job.Job) error {
	if err := j.Err(); err != nil {
		return err
	}
	if len(l.inFlight) < plan.Flights {
		return nil
	}
	oldest := l.inFlight[0]
	l.inFlight = append(l.inFlight[:0], l.inFlight[1:]...)
	return first(oldest.Synchronize(), oldest.Destroy())
}

// launched counts the present work of the stream as one launch, if launches are limited.
func (l *launcher) launched() error {
	if !l.limited {
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
func (l *launcher) end() (err error) {
	for _, e := range l.inFlight {
		err = first(err, e.Destroy())
	}
	l.inFlight = nil
	return err
}
