package backend

import (
	"errors"

	"gonextdoor/gonextdoor/engine"
	"gonextdoor/gonextdoor/engine/gpu/internal/launch"
	"gonextdoor/gonextdoor/output"
)

// Touched marks the samples that have a vertex of a set. See engine.DeviceSamples.
func (s *samples) Touched(set []uint64, read int, marks []uint8) error {
	return s.Device.Do(func() error {
		c, ready, err := s.columns(engine.PartVertices)
		if err != nil {
			return err
		}
		c.Width = min(c.Width, read)
		return s.link.Touched(c, set, marks, ready)
	})
}

// Replaced returns the samples with some rows replaced. See engine.DeviceSamples.
func (s *samples) Replaced(rows int, places []int64, part output.Matrix) (engine.DeviceSamples, error) {
	to := &samples{fromHost: s.fromHost}
	err := to.begin(s.Device)
	if err != nil {
		return nil, err
	}
	if to.Result, err = launch.Replaced(to.stream, s.Result, rows, places, part); err != nil {
		return nil, errors.Join(err, s.Device.Do(to.begun.Destroy))
	}
	return to, nil
}

// Touched copies the samples to the GPU, which searches them.
func (h *hosted) Touched(set []uint64, read int, marks []uint8) error {
	s, err := h.onGPU()
	if err != nil {
		return err
	}
	return s.Touched(set, read, marks)
}

// Replaced copies the samples to the GPU, and returns a copy with some rows replaced.
func (h *hosted) Replaced(rows int, places []int64, part output.Matrix) (engine.DeviceSamples, error) {
	s, err := h.onGPU()
	if err != nil {
		return nil, err
	}
	return s.Replaced(rows, places, part)
}
