package kernels

// The parameters of kernels, generated from core/exchangeargs.cuh by go test ./kernels -write: fields of 8 bytes. A missing array has the
// address 0.

// ExchangeHome is the rows whose result is in the memory of one GPU. All GPUs of an exchange read and write the result.
type ExchangeHome struct {
	Vertices uint64 // slot s of row r is at s*stride + r
	Edges    uint64 // the edge of step s in slot s; 0: no edges
	Stride   uint64
	Rows     uint64
	First    uint64 // the sample id of row 0
	Before   uint64 // the number of rows of all homes before
}

// Exchange is the parameter of the kernels of walks that several GPUs make together. A launch makes one step of the
// rows of all homes that are at one of its vertices. See driver/exchange.cuh.
type Exchange struct {
	W         Walk // the step is t.begin. Of b it uses the stream; of t.edges only whether it is 0; t.alive lists rejected rows
	Homes     uint64
	HomeCount uint64
	Home      uint64 // the number of the home whose ended walks this GPU continues; NoEdge: none
	Low, High uint64 // this GPU makes the steps from the vertices [low, high)
	Tiles     uint64 // of the largest home
}
