package file

import (
	"hash/maphash"
	"slices"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/offheap"
	"gonextdoor/gonextdoor/refuse"
)

// idSet is a numbering of arbitrary ids: an open-addressing hash table with linear probing, at most half full. Its arrays are
// outside the Go heap. Adding is single-threaded; of may be called by several threads after rank.
type idSet struct {
	keys  []int64
	used  []uint32 // 0: free slot; otherwise 1, and after rank the id's number + 1
	count int
}

// add inserts the two ids of an edge, and enlarges the table if necessary.
func (s *idSet) add(a, b int64) error {
	if 2*(s.count+2) > len(s.keys) {
		if err := s.grow(); err != nil {
			return err
		}
	}
	s.put(a)
	s.put(b)
	return nil
}

// put inserts an id into a table that has a free slot.
func (s *idSet) put(id int64) {
	i := s.place(id)
	if s.used[i] == 0 {
		s.keys[i], s.used[i] = id, 1
		s.count++
	}
}

// place returns the slot of an id, or the free slot in which to insert it.
func (s *idSet) place(id int64) uint64 {
	mask := uint64(len(s.keys) - 1)
	i := maphash.Comparable(seed, id) & mask
	for s.used[i] != 0 && s.keys[i] != id {
		i = (i + 1) & mask
	}
	return i
}

// grow doubles the table and inserts all ids again.
func (s *idSet) grow() error {
	if s.count >= int(graph.None)-2 {
		return refuse.Memory("more than %d different ids", graph.None-1)
	}
	size := max(1<<12, 2*len(s.keys))
	keys, err := offheap.Make[int64](size)
	if err != nil {
		return err
	}
	used, err := offheap.Make[uint32](size)
	if err != nil {
		offheap.Free(keys)
		return err
	}
	old := *s
	*s = idSet{keys: keys, used: used}
	for i, u := range old.used {
		if u != 0 {
			s.put(old.keys[i])
		}
	}
	old.Free()
	return nil
}

// rank numbers the ids in ascending order.
func (s *idSet) rank() error {
	sorted, err := s.names()
	if err != nil {
		return err
	}
	for n, id := range sorted {
		s.used[s.place(id)] = uint32(n) + 1
	}
	offheap.Free(sorted)
	return nil
}

// of returns the number of an id, which must be in the set.
func (s *idSet) of(id int64) uint32 { return s.used[s.place(id)] - 1 }

// names returns the ids in ascending order.
func (s *idSet) names() ([]int64, error) {
	ids, err := offheap.Make[int64](s.count)
	if err != nil {
		return nil, err
	}
	n := 0
	for i, u := range s.used {
		if u != 0 {
			ids[n] = s.keys[i]
			n++
		}
	}
	slices.Sort(ids)
	return ids, nil
}

// Free returns the memory of the set.
func (s *idSet) Free() {
	offheap.Free(s.keys)
	offheap.Free(s.used)
	*s = idSet{}
}
