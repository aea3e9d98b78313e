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
	return u.fill(to, bytes, func(at int64, into []byte) error {
		source := unsafe.Slice((*byte)(unsafe.Add(from, at)), len(into))
		return parallel.For(u.options.Job, u.options.Threads, len(into), plan.UploadPiece, func(lo, hi int) error {
			copy(into[lo:hi], source[lo:hi])
			return nil
		})
	})
}

// fill copies an array that write produces: some bytes at a time, in order, the first of which is byte `at` of the array. The
// GPU's copy is complete in stream order.
func (u *uploader) fill(to uintptr, bytes int64, write func(at int64, into []byte) error) error {
	for at := int64(0); at < bytes; at += u.chunk {
		n := min(u.chunk, bytes-at)
		err := u.send(n, func(into []byte) error { return write(at, into) }, func(from unsafe.Pointer) error {
			return u.device.CopyIn(to+uintptr(at), from, n, u.stream)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// send lets write fill n bytes of the next buffer, at most u.chunk, and submit submit the copies of them to the GPU.
func (u *uploader) send(n int64, write func(into []byte) error, submit func(from unsafe.Pointer) error) error {
	// 1. Wait until the GPU has read the buffer's last content.
	i := u.next
	u.next ^= 1
	if err := u.options.Job.Err(); err != nil {
		return err
	}
	if err := u.sent[i].Synchronize(); err != nil {
		return err
	}
	// 2. Fill the buffer, while the GPU reads the other one.
	if err := write(unsafe.Slice((*byte)(u.pinned[i].Pointer), n)); err != nil {
		return err
	}
	// 3. Submit the copies to the GPU.
	if err := submit(u.pinned[i].Pointer); err != nil {
		return err
	}
	return u.sent[i].Record(u.stream)
}

// end waits for all copies and releases the pinned memory.
func (u *uploader) end() {
	for i := range u.pinned {
		_ = u.sent[i].Synchronize() // if the GPU's context is lost, the next call reports it
		_ = u.sent[i].Destroy()
		_ = u.device.Unpin(u.pinned[i])
	}
}

// Upload copies an array of the host to GPU memory, in the order of the stream s. It returns when the array has been read, and
// if it has plan.UploadPinned bytes or more, when it has arrived. It is called within Device.Do.
func Upload(d *cuda.Device, s cuda.Stream, options graph.Options, to uintptr, a HostArray) error {
	if a.bytes < plan.UploadPinned { // the driver copies it to its own buffer at once
		return d.CopyIn(to, a.from, a.bytes, s)
	}
	u, err := newUploader(d, s, options, a.bytes)
	if err != nil {
		return err
	}
	defer u.end()
	return u.copy(to, a.from, a.bytes)
}

// UploadBy copies an array to GPU memory that write produces in pinned memory: some bytes at a time, in order, the first of
// which is byte `at` of the array. It waits until the copy is complete, also after an error. It is called within Device.Do.
//
// Cost: 2 plan.UploadChunk bytes of pinned memory at most.
func UploadBy(d *cuda.Device, s cuda.Stream, to uintptr, bytes int64, write func(at int64, into []byte) error) error {
	if bytes == 0 {
		return nil
	}
	u, err := newUploader(d, s, graph.Options{}, bytes)
	if err != nil {
		return err
	}
	defer u.end()
	if err := u.fill(to, bytes, write); err != nil {
		return err
	}
	return s.Synchronize()
}

// address returns the address of a slice's first element.
func address[T any](s []T) unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(s)) }
