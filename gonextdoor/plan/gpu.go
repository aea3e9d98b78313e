package plan

// When a GPU is taken without being asked for, and how results leave it. None of it can change a result.
const (
	// DeviceCall is how many seconds a call takes on a GPU at least, with the result's way to the host.
	DeviceCall = 2e-3
	// DeviceStart is how many seconds pass until a process can use a GPU.
	DeviceStart = 0.3
	// DeviceGain is how many times faster a GPU samples than a CPU, with the result's way to the host.
	DeviceGain = 8.0
	// DeviceVertex and DeviceEdge are the bytes of a graph on the card, about; UploadRate is how many get there in a second.
	DeviceVertex = 12
	DeviceEdge   = 8
	UploadRate   = 8e9
	// TransferPiece is how many bytes of a result are turned to rows and put on the link at a time: what the card writes
	// is then still in the processor's cache when TransferThreads copy it on. A thread is some twenty times slower than
	// the link with its piece, so that more pieces are under way than threads: TransferPlaces.
	TransferPiece   = 2 << 20
	TransferThreads = 10
	TransferPlaces  = 24
	// UploadRoots is from how many roots on they go to a card by pinned memory.
	UploadRoots = 1 << 14
	// DeviceKeep is how many bytes of the host's memory are kept for further results of GPUs at most.
	DeviceKeep = 4 << 30
)
