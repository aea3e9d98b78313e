package plan

// Constants of the copies between the host and a GPU. They affect speed and memory only, never a result.
const (
	// TransferPiece is the number of bytes of a result that are transposed to rows and copied at a time. A piece that the GPU
	// has written is still in the CPU's cache when one of TransferThreads threads copies it on. A thread takes some twenty
	// times as long for a piece as the link, so TransferPlaces pieces are in flight, more than there are threads.
	TransferPiece   = 2 << 20
	TransferThreads = 10
	TransferPlaces  = 24
	// TransferStreamed is the smallest number of bytes of a result that are stored past the CPU's caches. Smaller ones may stay
	// in a shared cache.
	TransferStreamed = 32 << 20
	// UploadPinned is the smallest number of bytes that are uploaded through pinned memory, such as roots.
	UploadPinned = 64 << 10
	// HostedBytes is the largest number of bytes of samples of a GPU that stay in host memory, where the CPU has made them, until
	// they are asked for on the GPU. Larger ones are copied there at once.
	HostedBytes = 64 << 20
	// DeviceKeep is the largest number of bytes of host memory that are kept for further results of GPUs.
	DeviceKeep = 4 << 30
)
