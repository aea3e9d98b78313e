package kernels

// The parameters of kernels, generated from core/hostendsargs.cuh by go test ./kernels -write: fields of 8 bytes. A missing array has the
// address 0.

// HostEnds is the parameter of the kernel that draws mini-batches whose end points the host reads. Launch number `step`
// of a draw completes the step before, and chooses the edges of that step. See driver/hostends.cuh.
type HostEnds struct {
	N            NeighborSampler
	Step         uint64
	Ends         uint64 // per edge its end point; None: it is in device memory, at the edge's position
	Positions    uint64 // host memory: per edge its position
	PositionSize uint64 // 4 or 8 bytes
}
