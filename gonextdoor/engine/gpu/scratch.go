package gpu

import (
	"unsafe"

	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/engine/gpu/resident"
	"gonextdoor/gonextdoor/graph"
)

// scratch is GPU memory that is freed at the end of a call, in the order of a stream.
type scratch struct {
	device *cuda.Device
	stream cuda.Stream
	held   []cuda.Memory
}

// buffer is an array for scratch.takeAll.
type buffer struct {
	address *uint64 // receives the array's address
	bytes   int64
	zeros   bool // the array begins as zeros
}

// take allocates memory, which free will free. If the GPU is full, graphs that no call is using are evicted.
func (s *scratch) take(bytes int64) (cuda.Memory, error) {
	m, err := resident.Alloc(s.device, bytes, s.stream)
	if err == nil {
		s.held = append(s.held, m)
	}
	return m, err
}

// takeAll allocates several arrays.
func (s *scratch) takeAll(buffers ...buffer) error {
	for _, b := range buffers {
		m, err := s.take(b.bytes)
		if err != nil {
			return err
		}
		*b.address = uint64(m.Address)
		if b.zeros {
			if err := s.device.Fill32(m.Address, 0, b.bytes/4, s.stream); err != nil {
				return err
			}
		}
	}
	return nil
}

// free frees all memory once the present work of the stream is done.
func (s *scratch) free() (err error) {
	for _, m := range s.held {
		err = first(err, s.device.Free(m, s.stream))
	}
	s.held = nil
	return err
}

// put copies an array to memory of s and writes its address to at. It leaves at unchanged if there are no values.
func put[T any](s *scratch, at *uint64, values []T) error {
	var one T
	bytes := int64(len(values)) * int64(unsafe.Sizeof(one))
	m, err := s.take(max(bytes, 8))
	if err != nil || bytes == 0 {
		return err
	}
	*at = uint64(m.Address)
	return resident.Upload(s.device, s.stream, graph.Options{}, m.Address, resident.ArrayOf(values))
}

// fetch copies an array of the GPU to the host; it is complete after the stream's synchronisation.
func fetch[T any](s *scratch, at uint64, to []T) error {
	var one T
	if len(to) == 0 {
		return nil
	}
	return s.device.CopyOut(unsafe.Pointer(unsafe.SliceData(to)), uintptr(at), int64(len(to))*int64(unsafe.Sizeof(one)), s.stream)
}
