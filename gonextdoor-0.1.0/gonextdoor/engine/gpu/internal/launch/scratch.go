package launch

import (
	"unsafe"

	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/engine/gpu/resident"
	"gonextdoor/gonextdoor/graph"
)

// Scratch is GPU memory that is freed at the end of a call, in the order of a stream.
type Scratch struct {
	Device *cuda.Device
	Stream cuda.Stream
	Held   []cuda.Memory
}

// Buffer is an array for scratch.takeAll.
type Buffer struct {
	Address *uint64 // receives the array's address
	Bytes   int64
	zeros   bool // the array begins as zeros
}

// Array is an array of that many bytes, whose address is written to address.
func Array(address *uint64, bytes int64) Buffer { return Buffer{Address: address, Bytes: bytes} }

// Zeros is an array that begins as zeros.
func Zeros(address *uint64, bytes int64) Buffer {
	return Buffer{Address: address, Bytes: bytes, zeros: true}
}

// Take allocates memory, which free will free. If the GPU is full, graphs that no call is using are evicted.
func (s *Scratch) Take(bytes int64) (cuda.Memory, error) {
	m, err := resident.Alloc(s.Device, bytes, s.Stream)
	if err == nil {
		s.Held = append(s.Held, m)
	}
	return m, err
}

// TakeAll allocates several arrays.
func (s *Scratch) TakeAll(buffers ...Buffer) error {
	for _, b := range buffers {
		m, err := s.Take(b.Bytes)
		if err != nil {
			return err
		}
		*b.Address = uint64(m.Address)
		if b.zeros {
			if err := s.Device.Fill32(m.Address, 0, b.Bytes/4, s.Stream); err != nil {
				return err
			}
		}
	}
	return nil
}

// Free frees all memory once the present work of the stream is done.
func (s *Scratch) Free() (err error) {
	for _, m := range s.Held {
		err = First(err, s.Device.Free(m, s.Stream))
	}
	s.Held = nil
	return err
}

// Put copies an array to memory of s and writes its address to at. It leaves at unchanged if there are no values.
func Put[T any](s *Scratch, at *uint64, values []T) error {
	var one T
	bytes := int64(len(values)) * int64(unsafe.Sizeof(one))
	m, err := s.Take(max(bytes, 8))
	if err != nil || bytes == 0 {
		return err
	}
	*at = uint64(m.Address)
	return resident.Upload(s.Device, s.Stream, graph.Options{}, m.Address, resident.ArrayOf(values))
}

// Fetch copies an array of the GPU to the host; it is complete after the stream's synchronisation.
func Fetch[T any](s *Scratch, at uint64, to []T) error {
	var one T
	if len(to) == 0 {
		return nil
	}
	return s.Device.CopyOut(unsafe.Pointer(unsafe.SliceData(to)), uintptr(at), int64(len(to))*int64(unsafe.Sizeof(one)), s.Stream)
}

// Flag returns 1 for true.
func Flag(yes bool) uint64 {
	if yes {
		return 1
	}
	return 0
}

// First returns the first error that is not nil.
func First(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
