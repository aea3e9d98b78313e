package rank

import (
	"unsafe"

	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/engine/gpu/internal/launch"
	"gonextdoor/gonextdoor/engine/gpu/transfer"
	"gonextdoor/gonextdoor/output"
)

// fetched copies the gathered entries to the host through pinned memory. The result has no rows.
func (k *ranking) fetched() (s output.Scores, err error) {
	n := int(k.report[0])
	if s, err = output.LendScores(0, n); err != nil || n == 0 {
		return s, err
	}
	l, err := transfer.Of(k.Device)
	if err != nil {
		return s, err
	}
	ready, err := k.Device.NewEvent()
	if err != nil {
		return s, err
	}
	err = ready.Record(k.Run.Stream)
	for _, column := range []struct {
		at uint64
		to []uint32
	}{{k.args.Vertices, s.Vertices}, {k.args.Visits, s.Visits}, {k.args.Visitors, s.Walks}} {
		if err == nil {
			err = k.column(l, column.at, column.to, ready)
		}
	}
	return s, launch.First(err, ready.Destroy())
}

// column copies a column of the gathered entries to the host, after the event ready.
func (k *ranking) column(l *transfer.Link, at uint64, to []uint32, ready cuda.Event) error {
	c := transfer.Columns{Address: uintptr(at), Rows: len(to), Width: 1, Stride: len(to), Size: 4}
	return l.Rows(c, unsafe.Pointer(unsafe.SliceData(to)), 4, ready, k.Threads, k.Job)
}
