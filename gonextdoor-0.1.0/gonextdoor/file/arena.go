package file

import (
	"unsafe"

	"gonextdoor/gonextdoor/offheap"
)

// arenaChunk is the largest chunk of an arena, in elements. With smaller chunks a file of 100 GB would exceed the number of
// mappings that Linux allows per process.
const arenaChunk = 4 << 20

// arena is a growing array in chunks outside the Go heap. Chunks never move, and each reservation is contiguous. It is used
// by one thread; Free releases all values.
type arena[T any] struct {
	chunks [][]T
	used   int // elements kept of the last chunk
	size   int // of the next chunk; it grows by a factor of 4, so that small files take little memory
}

// Reserve returns a buffer for up to n values. Keep then sets how many of them become part of the arena.
func (c *arena[T]) Reserve(n int) ([]T, error) {
	if len(c.chunks) == 0 || len(c.chunks[len(c.chunks)-1])-c.used < n {
		if c.size >= arenaChunk { // offheap.Make checks large arrays only, so check here whether this chunk still fits
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

// Keep appends the first n values of the last reservation to the arena; the next reservation reuses the others.
func (c *arena[T]) Keep(n int) { c.used += n }

// Free returns the memory of all chunks. Slices from Reserve must not be used afterwards.
func (c *arena[T]) Free() {
	for _, chunk := range c.chunks {
		offheap.Free(chunk)
	}
	c.chunks = nil
}
