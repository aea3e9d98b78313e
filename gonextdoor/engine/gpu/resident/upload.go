package resident

import (
	"unsafe"

	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/parallel"
	"gonextdoor/gonextdoor/plan"
)

// uploader copies arrays from the host to the GPU through two buffers of pinned memory. All threads fill one buffer while
// the GPU reads the other. Copies from pageable memory reach a fifth of the speed, because one thread of the driver moves
// them through its own pinned buffer.
type uploader struct {
	device  *cuda.Device
	stream  cuda.Stream
	options graph.Options
	chunk   int64          // bytes of a buffer
	pinned  [2]cuda.Pinned // the buffers
	sent    [2]cuda.Event  // reached when the GPU has read a buffer
	next    int            // the buffer to fill next
}

// newUploader returns an uploader for arrays of at most that many bytes. The caller calls end.
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

// copy copies an array. When it returns, from has been read completely; the GPU's copy is complete in stream order.
func (u *uploader) copy(to uintptr, from unsafe.Pointer, bytes int64) error {
	for at := int64(0); at < bytes; at += u.chunk {
		// 1. Wait until the GPU has read the buffer's last content.
		n := min(u.chunk, bytes-at)
		i := u.next
		u.next ^= 1
		if err := u.sent[i].Synchronize(); err != nil {
			return err
		}
		// 2. Fill the buffer with all threads.
		source := unsafe.Slice((*byte)(unsafe.Add(from, at)), n)
		target := unsafe.Slice((*byte)(u.pinned[i].Pointer), n)
		err := parallel.For(u.options.Job, u.options.Threads, int(n), plan.UploadPiece, func(lo, hi int) error {
			copy(target[lo:hi], source[lo:hi])
			return nil
		})
		if err != nil {
			return err
		}
		// 3. Submit the copy to the GPU.
		if err := u.device.CopyIn(to+uintptr(at), u.pinned[i].Pointer, n, u.stream); err != nil {
			return err
		}
		if err := u.sent[i].Record(u.stream); err != nil {
			return err
		}
	}
	return nil
}

// end waits for all copies and releases the pinned memory.
func (u *uploader) end() {
	for i := range u.pinned {
		_ = u.sent[i].Synchronize() // if the GPU's context is lost, the next call reports it
		_ = u.sent[i].Destroy()
		_ = u.device.Unpin(u.pinned[i])
	}
}

// address returns the address of a slice's first element.
func address[T any](s []T) unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(s)) }
