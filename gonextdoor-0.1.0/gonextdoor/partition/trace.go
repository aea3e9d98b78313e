package partition

// Step is a step of a walk, or its last vertex.
type Step struct {
	Walker uint32 // the number of the walk in its cohort: sample * roots + root
	Step   uint32 // from 0; of a last vertex, the number of steps of the walk
	Vertex uint32
}

// Trace has steps in blocks, so that adding one copies no others.
type Trace struct {
	blocks [][]Step
	edges  [][]uint64
	size   int
}

// traceBlock is the number of steps of a block.
const traceBlock = 1 << 15

// add adds a step, with the id of its edge if ids are recorded.
func (t *Trace) add(s Step, edges bool, id uint64) {
	last := len(t.blocks) - 1
	if t.size%traceBlock == 0 {
		t.blocks = append(t.blocks, make([]Step, 0, traceBlock))
		last++
		if edges {
			t.edges = append(t.edges, make([]uint64, 0, traceBlock))
		}
	}
	t.blocks[last] = append(t.blocks[last], s)
	if edges {
		t.edges[last] = append(t.edges[last], id)
	}
	t.size++
}

// Size returns the number of steps.
func (t *Trace) Size() int { return t.size }

// Copy writes all steps to memory of their number, and the ids of their edges unless edges is nil.
func (t *Trace) Copy(steps []Step, edges []uint64) {
	for i, block := range t.blocks {
		steps = steps[copy(steps, block):]
		if edges != nil {
			edges = edges[copy(edges, t.edges[i]):]
		}
	}
}
