package plan

// ExchangeRows is the number of walks per GPU from which on several GPUs that share a graph make each step where the row of its
// vertex is. Each GPU then waits for all others after each step. Measured on two H200 with half of the rows on each: the exchange
// is the faster from 2^18 (first order, small graph) to 2^19 walks per GPU on (second order, or a graph with long rows).
const ExchangeRows = 1 << 19

// ExchangeRemote is the share of the edges in the memory of other GPUs from which on walks are exchanged. With fewer, reads of
// that memory are expected to take less time than the exchange. The share is modelled, not measured.
const ExchangeRemote = 0.1

// ExchangeHostBytes is the number of bytes of samples per GPU that are exchanged at a time if the samples are copied to the
// host. The wait for all GPUs after each step then takes less time than the steps.
const ExchangeHostBytes = 1 << 29

// Exchanges reports whether several GPUs that share a graph exchange the walks of a batch after each step. If not, each GPU
// makes its rows and reads the memory of the others. TransitOrder and SampleOrder force one or the other.
func (b Batch) Exchanges(devices int) bool {
	rows := b.Roots.Samples()
	switch {
	case devices < 2 || rows >= 1<<32-1: // rows are numbered in 32 bits
		return false
	case b.Order != "":
		return b.Order == TransitOrder
	}
	return rows/devices >= ExchangeRows
}
