package features

import (
	"errors"
	"unsafe"
)

// Cached returns the row of each slot of a store that looks ahead, once all reads so far have planned. ^0 is none. It also
// reports whether the table of places has the same content.
func (s *Store) Cached() (owners []uint32, agree bool, err error) {
	l := s.link
	owners, places := make([]uint32, s.options.Slots), make([]uint32, s.rows)
	err = l.device.Do(func() error {
		return errors.Join(
			l.device.CopyOut(unsafe.Pointer(unsafe.SliceData(owners)), s.ahead.owners, 4*int64(len(owners)), l.search),
			l.device.CopyOut(unsafe.Pointer(unsafe.SliceData(places)), s.places.Address, 4*int64(len(places)), l.search),
			l.search.Synchronize(),
		)
	})
	want := make([]uint32, s.rows)
	for i := range want {
		want[i] = none
	}
	for slot, row := range owners {
		if row != none {
			want[row] = uint32(slot)
		}
	}
	agree = true
	for i := range want {
		agree = agree && want[i] == places[i]
	}
	return owners, agree, err
}
