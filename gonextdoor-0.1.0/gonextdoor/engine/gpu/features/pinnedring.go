package features

import (
	"errors"

	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/plan"
)

// pinnedRing is pinned memory in pieces, which CPU threads fill and the copy engine empties, in turn. One gather uses it at a time.
type pinnedRing struct {
	memory cuda.Pinned
	each   int          // bytes of a piece
	copied []cuda.Event // by piece: the last copy from it
	next   int          // the piece that is filled next
}

// reserve makes the pieces large enough for a row. It is called within Device.Do, by the user of the ring.
func (r *pinnedRing) reserve(l *link, rowBytes int) error {
	if r.each >= rowBytes && r.each >= plan.FeaturePiece {
		return nil
	}
	if err := r.free(l); err != nil {
		return err
	}
	each := max(plan.FeaturePiece, (rowBytes+15)/16*16)
	m, err := l.device.Pin(int64(each) * plan.FeaturePieces)
	if err != nil {
		return err
	}
	for range plan.FeaturePieces {
		e, err := l.device.NewEvent()
		if err != nil {
			for _, made := range r.copied {
				err = errors.Join(err, made.Destroy())
			}
			r.copied = nil
			return errors.Join(err, l.device.Unpin(m))
		}
		r.copied = append(r.copied, e)
	}
	r.memory, r.each, r.next = m, each, 0
	return nil
}

// free frees the pinned memory after all copies.
func (r *pinnedRing) free(l *link) error {
	err := l.copies.Synchronize()
	for _, e := range r.copied {
		err = errors.Join(err, e.Destroy())
	}
	err = errors.Join(err, l.device.Unpin(r.memory))
	*r = pinnedRing{}
	return err
}
