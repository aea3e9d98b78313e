package walk

import (
	"unsafe"

	"gonextdoor/gonextdoor/engine/cpu/internal/run"
	"gonextdoor/gonextdoor/engine/cpu/stage"
	"gonextdoor/gonextdoor/output"
	"gonextdoor/gonextdoor/plan"
)

// lockstep is a run of walks whose walkers advance together, but do not always follow the edge that they choose.
type lockstep struct {
	run.Run
	out output.Matrix
	// move takes step s of the n walkers from row on. It writes the vertex of walker i to address out + i*stride, in bytes, and
	// the edge to Edge[i] if the batch records edges. It is called once per step of a group.
	move func(w *stage.Walkers, n, row int, s uint64, out unsafe.Pointer, stride uintptr)
}

// walk runs all walks of the batch.
func (m *lockstep) walk() error {
	chunk := run.ChunkOf(m.Batch.Roots.Samples(), m.Batch.Threads, plan.Chunk)
	return m.Each(chunk, func(w *stage.Walkers, lo, hi int) error {
		for ; lo < hi; lo += plan.Group {
			if err := m.group(w, lo, min(plan.Group, hi-lo)); err != nil {
				return err
			}
		}
		return nil
	})
}

// group runs the walks of n samples from row on.
func (m *lockstep) group(w *stage.Walkers, row, n int) error {
	vertices := unsafe.Pointer(&m.out.Vertices[row*m.out.Width])
	stride := uintptr(m.out.Width) * 4
	// 1. Place the walkers at their roots.
	for i := range n {
		w.Key[i], w.Vertex[i] = m.Key(row+i), m.Root(row+i)
		*(*uint32)(unsafe.Add(vertices, uintptr(i)*stride)) = w.Vertex[i]
	}
	m.Tables.Prefetch(w.Vertex[:n])
	// 2. Take the steps.
	for s := range m.out.Width - 1 {
		if s%run.StepsPerPoll == run.StepsPerPoll-1 {
			if err := m.Job.Err(); err != nil {
				return err
			}
		}
		m.move(w, n, row, uint64(s), unsafe.Add(vertices, (s+1)*4), stride)
		if m.Batch.Edges {
			for i := range n {
				m.out.Edges[(row+i)*(m.out.Width-1)+s] = m.Tables.ID(w.Edge[i])
			}
		}
	}
	return nil
}
