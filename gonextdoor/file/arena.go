package file

import (
	"unsafe"

	"gonextdoor/gonextdoor/offheap"
)

// arenaChunk is the most elements of an arena's chunk: enough that a file of 100 GB does not run out of mappings.
const arenaChunk = 4 << 20

// arena is a growing array outside the Go heap. The values of a block are consecutive.
type arena[T any] struct {
	chunks [][]T
	used   int // of the last chunk
	size   int // of the next chunk: the first ones are small, for small files
}

// Room returns space for up to n values at the end; Keep tells how many were written.
func (c *arena[T]) Room(n int) ([]T, error) {
	if len(c.chunks) == 0 || len(c.chunks[len(c.chunks)-1])-c.used < n {
		if c.size >= arenaChunk { // a chunk alone is too small to be checked
			var z T
			if err := offheap.Check(arenaChunk * int64(unsafe.Sizeof(z))); err != nil {
				return nil, err
			}
		}
		chunk, err := offheap.Make[T](max(n, min(arenaChunk, c.size)))
		if err != nil {
			return nil, err
		}
		c.chunks, c.used, c.size = append(c.chunks, chunk), 0, 4*len(chunk)
	}
	return c.chunks[len(c.chunks)-1][c.used:][:n], nil
}

// Keep makes the first n values of the last Room lasting.
func (c *arena[T]) Keep(n int) { c.used += n }

// Free ends the life of all values.
func (c *arena[T]) Free() {
	for _, chunk := range c.chunks {
		offheap.Free(chunk)
	}
	c.chunks = nil
}
