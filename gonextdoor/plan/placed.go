package plan

import "gonextdoor/gonextdoor/graph/index"

// SplitStart is how many seconds longer a call takes at least on a GPU if the graph is split over several GPUs.
const SplitStart = 1.5e-4

// Split compares the two ways to make samples of a batch that stay on a GPU, of a graph that is split over several: the CPU makes them
// and copies them to the GPU, or GPUs make them. They do if the batch has an order, or if the CPU would have to read all edges first.
func (b Batch) Split(of Plan) Choice {
	c := CallOf(of, b)
	e := c.Estimate()
	e.CPU += c.UploadSeconds()
	e.GPU += SplitStart - e.GPUTransfer
	choice := e.Choose(true, true)
	choice.GPU = choice.GPU || b.Order != "" || of.lacksTables()
	return choice
}

// lacksTables reports whether the CPU would build a table from all edges before the first sample.
func (p Plan) lacksTables() bool {
	for _, need := range p.Tables {
		if need.Work == 0 && need.Table != index.PackedTable && !need.Table.Built(p.Graph) {
			return true
		}
	}
	return false
}
