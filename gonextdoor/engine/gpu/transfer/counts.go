package transfer

import (
	"unsafe"

	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/job"
)

// Widen gives the vertices with 64 bits each, in the same order, in s.
func (l *Link) Widen(c Columns, s cuda.Stream) (cuda.Memory, error) {
	wide, err := l.device.Alloc(int64(8*c.Width*c.Stride), s)
	if err != nil || wide.Address == 0 {
		return wide, err
	}
	a := c.arguments()
	a.To = uint64(wide.Address)
	if err := l.launch("result_widen", blocksFor(c.Width*c.Stride), a, s); err != nil {
		_ = l.device.Free(wide, s)
		return cuda.Memory{}, err
	}
	return wide, nil
}

// Lengths counts the vertices of each row, missing ones left out, into one int64 a row.
func (l *Link) Lengths(c Columns, lengths []int64, after cuda.Event, j *job.Job) error {
	return l.counted("result_lengths", c, c.Rows, lengths, after, j)
}

// Visits counts how often each vertex stands in the columns, into one int64 a vertex.
func (l *Link) Visits(c Columns, counts []int64, after cuda.Event, j *job.Job) error {
	return l.counted("result_visits", c, c.Rows*c.Width, counts, after, j)
}

// counted runs a kernel that counts into memory that is zero at first, and brings that to the host.
func (l *Link) counted(name string, c Columns, work int, counts []int64, after cuda.Event, j *job.Job) (err error) {
	if len(counts) == 0 {
		return nil
	}
	if work == 0 {
		clear(counts)
		return nil
	}
	one, err := l.take()
	if err != nil {
		return err
	}
	defer l.give(one)
	there, err := l.device.Alloc(int64(8*len(counts)), one.kernels)
	if err != nil {
		return err
	}
	defer func() {
		if e := l.device.Free(there, one.kernels); err == nil {
			err = e
		}
	}()
	if err := l.device.Fill32(there.Address, 0, int64(2*len(counts)), one.kernels); err != nil {
		return err
	}
	if err := one.kernels.Wait(after); err != nil {
		return err
	}
	a := c.arguments()
	a.To = uint64(there.Address)
	if err := l.launch(name, blocksFor(work), a, one.kernels); err != nil {
		return err
	}
	if err := one.made[0].Record(one.kernels); err != nil {
		return err
	}
	flat := Columns{Address: there.Address, Rows: len(counts), Width: 1, Stride: len(counts), Size: 8}
	return l.Rows(flat, Host{Pointer: unsafe.Pointer(&counts[0])}, 8, one.made[0], 0, j)
}
