package resident

import (
	"unsafe"

	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/parallel"
	"gonextdoor/gonextdoor/plan"
)

// uploader copies arrays of the host to the card by way of two pieces of pinned memory: while one is filled by all
// threads, the other is on its way. Memory that is not pinned would go at a fifth of the speed, through one thread of
// the driver's.
type uploader struct {
	device  *cuda.Device
	stream  cuda.Stream
	options graph.Options
	chunk   int64
	pinned  [2]cuda.Pinned
	sent    [2]cuda.Event
	turn    int
}

func newUploader(d *cuda.Device, s cuda.Stream, options graph.Options, bytes int64) (*uploader, error) {
	u := &uploader{device: d, stream: s, options: options, chunk: min(plan.UploadChunk, max(bytes, 1))}
	for i := range u.pinned {
		var err error
		if u.sent[i], err = d.NewEvent(); err != nil {
			u.end()
			return nil, err
		}
		if u.pinned[i], err = d.Pin(u.chunk); err != nil {
			u.end()
			return nil, err
		}
	}
	return u, nil
}

// copy sends an array. The array has been read when the call returns, not yet arrived.
func (u *uploader) copy(to uintptr, from unsafe.Pointer, bytes int64) error {
	for at := int64(0); at < bytes; at += u.chunk {
		n := min(u.chunk, bytes-at)
		i := u.turn
		u.turn ^= 1
		if err := u.sent[i].Synchronize(); err != nil {
			return err
		}
		source := unsafe.Slice((*byte)(unsafe.Add(from, at)), n)
		target := unsafe.Slice((*byte)(u.pinned[i].Pointer), n)
		err := parallel.For(u.options.Job, u.options.Threads, int(n), plan.UploadPiece, func(lo, hi int) error {
			copy(target[lo:hi], source[lo:hi])
			return nil
		})
		if err != nil {
			return err
		}
		if err := u.device.CopyIn(to+uintptr(at), u.pinned[i].Pointer, n, u.stream); err != nil {
			return err
		}
		if err := u.sent[i].Record(u.stream); err != nil {
			return err
		}
	}
	return nil
}

// end waits for what was sent and gives the pinned memory back.
func (u *uploader) end() {
	for i := range u.pinned {
		_ = u.sent[i].Synchronize() // a card that is lost says so at the next call
		_ = u.sent[i].Destroy()
		_ = u.device.Unpin(u.pinned[i])
	}
}

// address gives where a slice lies.
func address[T any](s []T) unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(s)) }
