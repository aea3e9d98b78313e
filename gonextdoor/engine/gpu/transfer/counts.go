package transfer

import (
	"unsafe"

	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/engine/gpu/resident"
	"gonextdoor/gonextdoor/job"
)

// Widen gives the vertices with 64 bits each, in the same order, in s.
func (l *Link) Widen(c Columns, s cuda.Stream) (cuda.Memory, error) {
	wide, err := resident.Alloc(l.device, int64(8*c.Width*c.Stride), s)
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
	return l.counted("result_visits", c, c.Rows, counts, after, j)
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
	return l.with(func(one *lane) (err error) {
		d, s := l.device, one.kernels
		there, err := resident.Alloc(d, int64(8*len(counts)), s)
		if err != nil {
			return err
		}
		defer func() { err = first(err, d.Free(there, s)) }()
		a := c.arguments()
		a.To = uint64(there.Address)
		flat := Columns{Address: there.Address, Rows: len(counts), Width: 1, Stride: len(counts), Size: 8}
		return first(
			d.Fill32(there.Address, 0, int64(2*len(counts)), s), s.Wait(after), l.launch(name, blocksFor(work), a, s),
			one.made[0].Record(s), l.Rows(flat, unsafe.Pointer(&counts[0]), 8, one.made[0], 0, j),
		)
	})
}
