package features

import (
	"errors"
	"slices"
	"sync"

	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/engine/gpu/resident"
	"gonextdoor/gonextdoor/refuse"
)

// Shared is memory for the slots of the stores of several GPUs. Each GPU has a replica of the first bytes, and the others exist
// once: each GPU has an equal part of them, and reads those of its peers through its own addresses. So kernels read one array.
//
// All sizes are multiples of the granularity of the GPUs. A row may be in two parts.
type Shared struct {
	devices []*cuda.Device
	bytes   int64 // of the slots
	hot     int64 // of a replica
	part    int64 // of the part of each GPU; that of the last ones may be smaller
	all     int64 // of a view

	replicas, parts []*resident.ReservedChunk // by GPU; nil: it has none
	views           []cuda.Span               // by GPU: its replica, then all parts

	lock  sync.Mutex
	users int // stores that use it, and the caller of NewShared
}

// NewShared allocates memory for slots on several GPUs. The caller releases it once all stores have been opened.
//
// Errors: DeviceError if a GPU cannot read another, or if the memory exceeds what a GPU or GONEXTDOOR_DEVICE_MEMORY leaves.
func NewShared(devices []*cuda.Device, bytes, hot int64) (m *Shared, err error) {
	ids := make([]int, len(devices))
	for i, d := range devices {
		ids[i] = d.ID
	}
	if bytes < 1 || hot < 0 || hot > bytes {
		return nil, refuse.Value("features: %d bytes of slots, %d of them on all GPUs", bytes, hot)
	}
	if err := cuda.CheckPeers(ids); err != nil {
		return nil, err
	}
	m = &Shared{devices: devices, bytes: bytes, users: 1}
	granule := int64(1)
	for _, d := range devices {
		own, err := d.Granularity()
		if err != nil {
			return nil, err
		}
		granule = max(granule, own) // powers of two
	}
	up := func(bytes int64) int64 { return (bytes + granule - 1) / granule * granule }
	n := int64(len(devices))
	m.hot = up(hot)
	rest := up(max(0, bytes-m.hot))
	m.part = up((rest + n - 1) / n)
	m.all = m.hot + rest
	if err := m.allocate(); err != nil {
		return nil, errors.Join(err, m.free())
	}
	return m, nil
}

// extent returns where the part of GPU i is in all views.
func (m *Shared) extent(i int) (at, bytes int64) {
	at = min(m.hot+int64(i)*m.part, m.all)
	return at, min(m.part, m.all-at)
}

// allocate allocates and maps all memory. After an error the caller calls free.
func (m *Shared) allocate() error {
	n := len(m.devices)
	m.replicas, m.parts = make([]*resident.ReservedChunk, n), make([]*resident.ReservedChunk, n)
	for i, d := range m.devices {
		_, own := m.extent(i)
		if err := d.Do(func() (err error) {
			if m.replicas[i], err = resident.ReserveChunk(d, m.hot, "the cached rows of features"); err == nil {
				m.parts[i], err = resident.ReserveChunk(d, own, "the cached rows of features")
			}
			return err
		}); err != nil {
			return err
		}
	}
	for i, d := range m.devices {
		view, err := cuda.NewSpan(m.all)
		if err != nil {
			return err
		}
		end := int64(0)
		add := func(c *resident.ReservedChunk) error {
			if c == nil {
				return nil
			}
			if err := view.Map(end, c.Chunk); err != nil {
				return err
			}
			end += c.Bytes
			return nil
		}
		err = add(m.replicas[i])
		for k := 0; k < n && err == nil; k++ {
			err = add(m.parts[k])
		}
		if err == nil {
			err = view.Allow(d, 0, m.all)
		}
		if err != nil {
			if end > 0 {
				err = errors.Join(err, view.Unmap(0, end))
			}
			return errors.Join(err, view.Free())
		}
		m.views = append(m.views, view)
	}
	return nil
}

// free unmaps and frees all memory. No work may be using it.
func (m *Shared) free() (err error) {
	for _, view := range m.views {
		err = errors.Join(err, view.Unmap(0, view.Bytes), view.Free())
	}
	for _, c := range slices.Concat(m.replicas, m.parts) {
		err = errors.Join(err, c.Release())
	}
	m.views, m.replicas, m.parts = nil, nil, nil
	return err
}

// number returns the number of a GPU among those of the memory.
func (m *Shared) number(d *cuda.Device) int { return slices.Index(m.devices, d) }

// use adds a store. It ends with Release.
func (m *Shared) use() {
	m.lock.Lock()
	defer m.lock.Unlock()
	m.users++
}

// Release ends the use of the caller, or of a store whose work is complete. The last one frees the memory.
func (m *Shared) Release() error {
	m.lock.Lock()
	defer m.lock.Unlock()
	if m.users--; m.users > 0 {
		return nil
	}
	return m.free()
}

// Bytes returns the memory that it takes of a GPU.
func (m *Shared) Bytes(d *cuda.Device) int64 {
	_, own := m.extent(m.number(d))
	return m.hot + own
}

// owned returns the slots, of rows of a size, that a GPU fills: those of its replica and of its part. Slots that are partly in the
// part of another GPU are filled by both.
func (m *Shared) owned(d *cuda.Device, rowBytes int64) (slots [][2]int) {
	at, own := m.extent(m.number(d))
	last := int((m.bytes + rowBytes - 1) / rowBytes)
	for _, e := range [][2]int64{{0, m.hot}, {at, at + own}} {
		lo, hi := int(e[0]/rowBytes), min(last, int((e[1]+rowBytes-1)/rowBytes))
		if lo < hi {
			slots = append(slots, [2]int{lo, hi})
		}
	}
	return slots
}
