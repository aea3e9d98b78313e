package launch

import (
	"strings"

	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/kernels/function"
)

// Launcher starts kernels in a stream. If a call has several long launches, it submits only a few of them in advance, so that
// a stopped job ends the call soon.
type Launcher struct {
	device   *cuda.Device
	stream   cuda.Stream
	Limited  bool         // the work is cut into several launches, of which at most plan.Flights wait
	inFlight []cuda.Event // after the last limited launches
}

// Threads starts a kernel with one thread for each of n elements. argument points to its parameter.
func (l *Launcher) Threads(k Kernel, n int64, argument any) error {
	f, err := l.Function(k)
	if err != nil || n == 0 {
		return err
	}
	block := k.Block
	if block == 0 {
		block = f.Block()
	}
	blocks := min((n+int64(block)-1)/int64(block), 1<<31-1)
	return f.Launch(cuda.Grid{Blocks: int(blocks), Threads: block}, l.stream, argument)
}

// Together starts a kernel by blocks that are all resident at once.
func (l *Launcher) Together(k Kernel, blocks int, argument any) error {
	return l.Start(k, cuda.Grid{Blocks: blocks, Cooperative: true}, argument)
}

// Start starts a kernel by a grid. Without a number of threads per block the grid has the kernel's.
func (l *Launcher) Start(k Kernel, g cuda.Grid, argument any) error {
	f, err := l.Function(k)
	if err != nil {
		return err
	}
	return f.Launch(g, l.stream, argument)
}

// Function returns a kernel, and loads its image at the first use.
func (l *Launcher) Function(k Kernel) (f function.Function, err error) {
	if k.Load == nil {
		return function.Load(l.device, k.Name)
	}
	return k.Load(l.device)
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
