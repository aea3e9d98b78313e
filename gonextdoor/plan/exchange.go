package plan

// ExchangeRows is the number of walks per GPU from which on several GPUs that share a graph make each step where the row of its
// vertex is. Each GPU then waits for all others after each step, for some 15 us. A step by reading the other GPUs' memory takes
// 1/11 ns per walk with half of the rows there, and a step by exchange about 1/25 ns: the difference pays for the wait from
// 300,000 walks on. The times are modelled, not measured.
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
