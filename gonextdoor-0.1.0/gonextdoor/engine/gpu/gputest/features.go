package gputest

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"unsafe"

	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/engine/gpu/features"
	"gonextdoor/gonextdoor/rng"
)

// Features is rows of features for tests.
type Features struct {
	Bytes    []byte
	RowBytes int
	Failing  error // what Gather returns
}

// Fill writes random bytes to all rows.
func (x *Features) Fill() {
	for at := 0; at < len(x.Bytes); at += 8 {
		var word [8]byte
		binary.LittleEndian.PutUint64(word[:], rng.Mix(uint64(at)<<16+uint64(x.RowBytes)))
		copy(x.Bytes[at:], word[:])
	}
}

// Shape returns the number of rows, and the bytes of each.
func (x *Features) Shape() (rows, rowBytes int) { return len(x.Bytes) / x.RowBytes, x.RowBytes }

// Row returns a row.
func (x *Features) Row(id uint32) []byte { return x.Bytes[int(id)*x.RowBytes : (int(id)+1)*x.RowBytes] }

// Gather copies rows.
func (x *Features) Gather(ids []uint32, to []byte) error {
	for i, id := range ids {
		copy(to[i*x.RowBytes:], x.Row(id))
	}
	return x.Failing
}

// Block returns all rows.
func (x *Features) Block() []byte { return x.Bytes }

// Read is the definition of a read.
func (x *Features) Read(ids []uint32) (rows []byte) {
	for _, id := range ids {
		rows = append(rows, x.Row(id)...)
	}
	return rows
}

// HostIDs describes ids in host memory.
func HostIDs(ids []uint32) features.IDs {
	return features.IDs{Address: uintptr(unsafe.Pointer(unsafe.SliceData(ids))), Count: len(ids), Bytes: 4, Host: true}
}

// Fetched waits for a result, copies it to the host and frees it.
func Fetched(r *features.Result) (rows []byte, err error) {
	err = r.Wait()
	if err == nil {
		err = r.Device.Do(func() error {
			ready, stream := r.Ready()
			if err := stream.Wait(ready); err != nil {
				return err
			}
			rows = make([]byte, r.Bytes)
			copied := r.Device.CopyOut(unsafe.Pointer(unsafe.SliceData(rows)), r.Address(), r.Bytes, stream)
			return errors.Join(copied, stream.Synchronize())
		})
	}
	return rows, errors.Join(err, r.Free())
}

// ReadOf reads ids in host memory.
func ReadOf(s *features.Store, ids features.IDs) ([]byte, error) {
	all, err := features.Read([]features.Request{{Store: s, IDs: ids}}, nil)
	if err != nil {
		return nil, err
	}
	return Fetched(all[0])
}

// FeatureBatches returns ids of batches. Some ids occur more often than others, and in one batch repeatedly.
func FeatureBatches(rows, count, size int, seed uint64) (all [][]uint32) {
	word := rng.Mix(seed)
	below := func(n int) int {
		word = rng.Mix(word)
		at, _ := rng.Below(word, uint64(n))
		return int(at)
	}
	for range count {
		ids := make([]uint32, below(size+1))
		for i := range ids {
			ids[i] = uint32(below(rows) * below(rows) / rows)
		}
		all = append(all, ids)
	}
	return all
}

// FirstRows returns the numbers 0 to n-1 in another order.
func FirstRows(n int) []uint32 {
	ids := make([]uint32, n)
	for i := range ids {
		ids[i] = uint32((i*7 + 3) % n)
	}
	return ids
}

// FeatureCase is batches that are read with a cache.
type FeatureCase struct {
	Rows, RowBytes int
	Slots, Placed  int
	Size, Batches  int
	Lookahead      bool
	Ahead          int // batches that are announced before they are read
	Classes        int // of the rows; 0: all are equal
	Forget         int // after this number of batches each, those that were announced are dropped; 0: never
	Misses         features.Way
	Share          int // of the missed rows, see features.Options
	Tile           int
}

// FeatureCases are reads of all kinds: without a cache, with a static one, and with one that looks ahead.
func FeatureCases() []FeatureCase {
	return []FeatureCase{
		{Rows: 97, RowBytes: 12, Size: 200, Batches: 2, Misses: features.ByCopy, Tile: 8},
		{Rows: 97, RowBytes: 400, Slots: 20, Placed: 20, Size: 200, Batches: 3, Misses: features.ByCopy, Tile: 32},
		{Rows: 97, RowBytes: 80, Slots: 97, Size: 200, Batches: 2, Tile: 16},
		{Rows: 97, RowBytes: 12, Size: 200, Batches: 2, Misses: features.ByBoth, Share: 20000},
		{Rows: 97, RowBytes: 400, Slots: 20, Placed: 20, Size: 200, Batches: 3, Misses: features.ByBoth, Share: 50000},
		{Rows: 5000, RowBytes: 16, Size: 3000, Batches: 1, Misses: features.ByKernel},
		{Rows: 60, RowBytes: 8, Slots: 12, Size: 25, Batches: 40, Lookahead: true, Ahead: 3, Misses: features.ByCopy},
		{Rows: 60, RowBytes: 8, Slots: 12, Placed: 12, Size: 25, Batches: 40, Lookahead: true, Ahead: 31, Misses: features.ByCopy},
		{Rows: 200, RowBytes: 24, Slots: 40, Placed: 7, Size: 90, Batches: 40, Lookahead: true, Ahead: 1, Misses: features.ByCopy},
		{Rows: 60, RowBytes: 8, Slots: 12, Size: 8, Batches: 150, Lookahead: true, Ahead: 59, Classes: 3, Misses: features.ByCopy},
		{Rows: 200, RowBytes: 8, Slots: 40, Placed: 40, Size: 90, Batches: 40, Lookahead: true, Ahead: 2, Classes: 16, Forget: 5, Misses: features.ByCopy},
		{Rows: 60, RowBytes: 8, Slots: 12, Size: 25, Batches: 40, Lookahead: true, Ahead: 9, Classes: 4, Forget: 7, Misses: features.ByCopy},
		{Rows: 33, RowBytes: 8, Slots: 32, Placed: 5, Size: 40, Batches: 40, Lookahead: true, Ahead: 8, Misses: features.ByKernel},
		{Rows: 60, RowBytes: 24, Slots: 12, Size: 25, Batches: 40, Lookahead: true, Ahead: 9, Misses: features.ByBoth, Share: 30000},
		{Rows: 50, RowBytes: 8, Slots: 1, Size: 30, Batches: 40, Lookahead: true, Ahead: 5, Misses: features.ByCopy},
		{Rows: 40, RowBytes: 8, Slots: 5, Placed: 5, Size: 20, Batches: 40, Lookahead: true, Misses: features.ByCopy},
		{Rows: 6000, RowBytes: 8, Slots: 3000, Size: 5000, Batches: 4, Lookahead: true, Ahead: 2, Misses: features.ByCopy},
		{Rows: 6000, RowBytes: 8, Slots: 2500, Placed: 2500, Size: 6000, Batches: 5, Lookahead: true, Ahead: 3, Misses: features.ByCopy},
	}
}

// Check reads the batches of x, which has the shape of the case. It returns an error unless all rows are right, and a cache that
// looks ahead misses the rows that Belady's rule misses. each is called after every batch of such a cache; it may be nil.
func (c FeatureCase) Check(d *cuda.Device, x *Features, each func(s *features.Store, b *Belady) error) (err error) {
	o := features.Options{Slots: c.Slots, Lookahead: c.Lookahead, Misses: c.Misses, Share: c.Share, Tile: c.Tile, Threads: 2}
	if c.Slots < c.Rows {
		o.Placed = FirstRows(c.Rows)[:c.Placed]
	}
	for row := range c.Rows {
		if c.Classes > 0 {
			o.Classes = append(o.Classes, uint8(row*5%c.Classes))
		}
	}
	s, err := features.Open(d, x, o, nil)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	belady := NewBelady(c.Slots, o.Placed)
	belady.Classes = o.Classes
	all, announced, misses := FeatureBatches(c.Rows, c.Batches, c.Size, uint64(c.Rows)), 0, int64(0)
	for k, ids := range all {
		if c.Forget > 0 && k%c.Forget == c.Forget-1 {
			if err := s.Forget(); err != nil {
				return err
			}
			belady.Forget()
			announced = k
			slices.Reverse(all[k:]) // other batches follow
			ids = all[k]
		}
		for ; c.Lookahead && announced < min(k+c.Ahead, len(all)); announced++ {
			if err := s.Announce(HostIDs(all[announced])); err != nil {
				return err
			}
			belady.Announced = append(belady.Announced, all[announced])
		}
		announced = max(announced, k+1)
		got, err := ReadOf(s, HostIDs(ids))
		if err != nil {
			return err
		}
		if !bytes.Equal(got, x.Read(ids)) {
			return fmt.Errorf("batch %d: other rows than those of the ids", k)
		}
		if !c.Lookahead {
			continue
		}
		misses += int64(belady.Read(ids))
		if n := s.Counts().Misses; n != misses {
			return fmt.Errorf("batch %d: %d rows missed so far, expected %d", k, n, misses)
		}
		if each != nil {
			if err := each(s, belady); err != nil {
				return fmt.Errorf("batch %d: %w", k, err)
			}
		}
	}
	return c.checkRange(s)
}

// checkRange reads an id whose lower 32 bits are those of a row.
func (c FeatureCase) checkRange(s *features.Store) error {
	ids := []uint64{0, 1 << 32}
	q := features.IDs{Address: uintptr(unsafe.Pointer(unsafe.SliceData(ids))), Count: 2, Bytes: 8, Host: true}
	if _, err := ReadOf(s, q); err == nil {
		return errors.New("an id of 2^32 is taken for row 0")
	}
	return nil
}
