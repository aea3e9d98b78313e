package plan

// How roots and results cross between the host and a GPU. None of it can change a result.
const (
	// TransferPiece is how many bytes of a result are turned to rows and copied at a time: what the GPU writes is then
	// still in the CPU's cache when TransferThreads copy it on. A thread is some twenty times slower than the link with
	// its piece, so that more pieces are under way than threads: TransferPlaces.
	TransferPiece   = 2 << 20
	TransferThreads = 10
	TransferPlaces  = 24
	// UploadRoots is the least number of roots that are uploaded by way of pinned memory.
	UploadRoots = 1 << 14
	// DeviceKeep is how many bytes of the host's memory are kept for further results of GPUs at most.
	DeviceKeep = 4 << 30
)
