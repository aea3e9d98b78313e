package kernels

// Generated from the constants of headers by go test ./kernels -write. Sizes of arrays and launches, and numbers of cases.

// Of app/collectivesteps.cuh.
const (
	CollectiveUniform = 0
	CollectiveWeight  = 1
	CollectiveDegree  = 2
)

// Of app/induceddraws.cuh.
const (
	SaintNode             = 0
	SaintEdge             = 1
	SaintWalk             = 2
	SaintMultidimensional = 3
)

// Of core/device.cuh.
const (
	WarpSize = 32
)

// Of driver/choose.cuh.
const (
	HubSlot = 3
)

// Of driver/computed.cuh.
const (
	ComputedThreads = 128
)

// Of driver/exchange.cuh.
const (
	ExchangeTile = 256
)

// Of driver/featureorder.cuh.
const (
	FeatureBuckets = 1024
)

// Of driver/hopfrontier.cuh.
const (
	TilePicks = 4096
	AllNodes  = 64
)

// Of driver/laborchoice.cuh.
const (
	LaborCounterWords = 128
	PickSpaceChunk    = 256
)

// Of driver/laborlist.cuh.
const (
	WarpListed = 128
)

// Of driver/laborselect.cuh.
const (
	CutRowWords = 2 + 2*WarpListed
	LaborLists  = 3
)

// Of driver/layered.cuh.
const (
	LayeredThreads  = 256
	LayeredTaken    = 0
	LayeredUsed     = 1
	LayeredLeft     = 2
	LayeredCramped  = 3
	LayeredMissed   = 4
	LayeredNeeded   = 5
	LayeredCounters = 6
)

// Of driver/layerparts.cuh.
const (
	LayerTile = 512
)

// Of driver/negativehops.cuh.
const (
	ChunkWords = 32
)

// Of driver/nodes.cuh.
const (
	KnownNode    = 1 << 31
	FaultNone    = 0
	FaultSeeds   = 1
	FaultEdges   = 2
	FaultOffsets = 3
	FaultTable   = 4
	FaultNodes   = 5
	ReportDone   = 3
	ReportHead   = 4
)

// Of driver/pagerank.cuh.
const (
	RankPart = 1024
)

// Of driver/partitionedwalk.cuh.
const (
	MostPartitions     = 256
	SizeStride         = 8
	PartitionedThreads = 1024
	WalkersPerThread   = 4
	WalkerTileSize     = PartitionedThreads * WalkersPerThread
)

// Of driver/queue.cuh.
const (
	QueueApart = 16
	QueueHead  = 3 * QueueApart
)

// Of driver/sampleoffsets.cuh.
const (
	OffsetRows  = 256
	SumsParts   = 8
	TopsThreads = 1024
)

// Of driver/streamedwalk.cuh.
const (
	MostParts       = 254
	PartSlots       = 8
	StreamedRows    = 8
	StreamedThreads = 256
	StreamedTile    = StreamedRows * StreamedThreads
)

// Of driver/tiles.cuh.
const (
	Place           = 1 << 31
	NeighborThreads = 512
)

// Of driver/tree.cuh.
const (
	TreeThreads   = 256
	ChoiceThreads = 128
)

// Of driver/transit.cuh.
const (
	FewTransits = 1024
)

// Of graph/buildalias.cuh.
const (
	AliasThreadEdges = 8192
)

// Of graph/gatheredrows.cuh.
const (
	PageEdges = 64
)

// Of graph/packed.cuh.
const (
	PackedVertices = 4
	PackedDegree   = (1 << 24) - 1
)

// Of graph/packedlabels.cuh.
const (
	PackedLabelBits = 96
)

// Of graph/segments.cuh.
const (
	SegmentEdges = 32
	SectorEdges  = 8
)

// Of graph/slim.cuh.
const (
	SlimEdges = 5
	SlimBits  = 25
)

// Of result/columns.cuh.
const (
	TileRows  = 32
	TileSlots = 128
)

// Of selector/leafsums.cuh.
const (
	MostLeaves = WarpSize * WarpSize * WarpSize
)

// Of selector/remaining.cuh.
const (
	RemainingTile = 256
)
