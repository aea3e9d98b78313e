package transfer

import (
	"unsafe"

	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/engine/gpu/resident"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/kernels"
)

// ToInt64 converts the vertices to 64-bit integers of the same layout, with -1 for graph.None. The work is submitted to s.
// The caller frees the result.
func (l *Link) ToInt64(c Columns, s cuda.Stream) (cuda.Memory, error) {
	to, err := resident.Alloc(l.device, int64(8*c.Width*c.Stride), s)
	if err != nil || to.Address == 0 {
		return to, err
	}
	a := c.arguments()
	a.To = uint64(to.Address)
	if err := l.launch("result_widen", blocksFor(c.Width*c.Stride), a, s); err != nil {
		_ = l.device.Free(to, s)
		return cuda.Memory{}, err
	}
	return to, nil
}

// Add adds a number to n consecutive 64-bit integers in GPU memory. The work is submitted to s.
func (l *Link) Add(at uintptr, n, number int, s cuda.Stream) error {
	if n == 0 || number == 0 {
		return nil
	}
	return l.launch("result_add", blocksFor(n), kernels.Columns{To: uint64(at), Rows: uint64(n), First: uint64(number)}, s)
}

// Sum adds n consecutive 64-bit integers in GPU memory to others. The work is submitted to s.
func (l *Link) Sum(to, from uintptr, n int, s cuda.Stream) error {
	if n == 0 {
		return nil
	}
	return l.launch("result_sum", blocksFor(n), kernels.Columns{From: uint64(from), To: uint64(to), Rows: uint64(n)}, s)
}

// AddVisits adds how often each vertex occurs in the columns to 64-bit counters in GPU memory. The work is submitted to s.
func (l *Link) AddVisits(c Columns, counters uintptr, s cuda.Stream) error {
	if c.Rows == 0 {
		return nil
	}
	a := c.arguments()
	a.To = uint64(counters)
	return l.launch("result_visits", blocksFor(c.Rows), a, s)
}

// Lengths writes the number of vertices of each row to lengths, without graph.None. It begins after the event and waits for
// the result. Only the counts are copied to the host.
func (l *Link) Lengths(c Columns, lengths []int64, after cuda.Event, j *job.Job) error {
	return l.counted("result_lengths", c, c.Rows, lengths, after, j)
}

// Filled returns the number of vertices of all rows, without graph.None. See Lengths.
func (l *Link) Filled(c Columns, after cuda.Event, j *job.Job) (int64, error) {
	var n [1]int64
	err := l.counted("result_filled", c, c.Rows, n[:], after, j)
	return n[0], err
}

// Visits writes how often each vertex occurs in the columns to counts, by vertex. It begins after the event and waits for
// the result. Only the counts are copied to the host.
func (l *Link) Visits(c Columns, counts []int64, after cuda.Event, j *job.Job) error {
	return l.counted("result_visits", c, c.Rows, counts, after, j)
}

// counted zeroes an array of 64-bit counters in GPU memory, runs a counting kernel with one thread per unit of work, and
// copies the counters to the host.
func (l *Link) counted(name string, c Columns, units int, counts []int64, after cuda.Event, j *job.Job) (err error) {
	if len(counts) == 0 {
		return nil
	}
	if units == 0 {
		clear(counts)
		return nil
	}
	return l.with(func(one *lane) (err error) {
		d, s := l.device, one.kernels
		counters, err := resident.Alloc(d, int64(8*len(counts)), s)
		if err != nil {
			return err
		}
		defer func() { err = first(err, d.Free(counters, s)) }()
		a := c.arguments()
		a.To = uint64(counters.Address)
		column := Columns{Address: counters.Address, Rows: len(counts), Width: 1, Stride: len(counts), Size: 8}
		return first(
			d.Fill32(counters.Address, 0, int64(2*len(counts)), s), s.Wait(after), l.launch(name, blocksFor(units), a, s),
			one.transposed[0].Record(s), l.Rows(column, unsafe.Pointer(&counts[0]), 8, one.transposed[0], 0, j),
		)
	})
}
