package resident

import (
	"fmt"

	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/graph"
)

// Available returns how many bytes graphs can take on a device together, if all layouts that no call is using are evicted. It
// asks the driver for the free memory, which takes some 0.3 ms, only if needed is more than half of what graphs may take.
func Available(d *cuda.Device, needed int64) (bytes int64, err error) {
	limit, reserve := budget(d.Total)
	limit = min(limit, d.Total-reserve)
	if needed <= limit/2 {
		return limit, nil
	}
	var free int64
	if err := d.Do(func() (err error) { free, _, err = d.FreeMemory(); return err }); err != nil {
		return 0, err
	}
	s := storeOf(d)
	s.lock.Lock()
	defer s.lock.Unlock()
	evictable := int64(0)
	for _, r := range s.residents {
		for _, p := range r.parts {
			if p.idle() {
				evictable += p.bytes
			}
		}
	}
	return max(0, min(limit, free+evictable-reserve)), nil
}

// copied identifies a layout or table of a graph on any device.
type copied struct {
	graph *graph.Graph
	id    fmt.Stringer
}

// heldBytes are the bytes that a layout takes on a device.
type heldBytes struct {
	device int
	bytes  int64
}

// ReplicatedBytes returns how many bytes of Bytes are copies of data that another device has too, by device number: replicas of
// pieces, and complete layouts that several devices have.
func ReplicatedBytes(g *graph.Graph) map[int]int64 {
	bytes, complete := map[int]int64{}, map[copied][]heldBytes{}
	for _, s := range allStores() {
		s.lock.Lock()
		for other, r := range s.residents {
			if other.Origin() != g.Origin() {
				continue
			}
			for id, p := range r.parts {
				if p.split != nil {
					bytes[s.device.ID] += p.replicas
				} else {
					complete[copied{other, id}] = append(complete[copied{other, id}], heldBytes{s.device.ID, p.bytes})
				}
			}
		}
		s.lock.Unlock()
	}
	for _, each := range complete {
		if len(each) > 1 {
			for _, one := range each {
				bytes[one.device] += one.bytes
			}
		}
	}
	return bytes
}
