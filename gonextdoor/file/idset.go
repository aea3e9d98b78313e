package file

import (
	"hash/maphash"
	"slices"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/offheap"
	"gonextdoor/gonextdoor/refuse"
)

// idSet is a numbering of arbitrary ids: a hash table.
type idSet struct {
	keys  []int64
	used  []uint32 // 0: free; else 1, and after rank the number+1
	count int
}

// add puts two ids in.
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

func (s *idSet) put(id int64) {
	i := s.place(id)
	if s.used[i] == 0 {
		s.keys[i], s.used[i] = id, 1
		s.count++
	}
}

// place returns the slot of an id, or the empty slot for it.
func (s *idSet) place(id int64) uint64 {
	mask := uint64(len(s.keys) - 1)
	i := maphash.Comparable(seed, id) & mask
	for s.used[i] != 0 && s.keys[i] != id {
		i = (i + 1) & mask
	}
	return i
}

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

// rank numbers the ids.
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

func (s *idSet) of(id int64) uint32 { return s.used[s.place(id)] - 1 }

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

// Free ends the life of the set.
func (s *idSet) Free() {
	offheap.Free(s.keys)
	offheap.Free(s.used)
	*s = idSet{}
}
