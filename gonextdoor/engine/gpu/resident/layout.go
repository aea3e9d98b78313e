package resident

import (
	"math/bits"
	"strings"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/refuse"
	"gonextdoor/kernels"
)

// Layout is a set of arrays of a graph in GPU memory. Layouts are combined with |.
type Layout uint32

// The layouts, in an order in which each can be built from those before it. Sizes are of GPU memory. Holding a layout also
// holds Rows. The other layouts that it is built from are built too, but they may be evicted afterwards.
const (
	Rows          Layout = 1 << iota // indptr and indices: 8 bytes per vertex, 4 bytes per edge
	Packed                           // begin and degree of each row: 16 bytes per four vertices
	Wide                             // per edge, its end point and the row of the end point: 16 bytes
	Biases                           // fixed-point biases: 4 bytes per edge
	Alias                            // alias table: 16 bytes per edge
	WideAlias                        // alias table with the rows of both end points: 32 bytes per edge
	Labels                           // labels: 4 bytes per edge
	IDs                              // edge ids: 4 or 8 bytes per edge, or no array if the position is the id
	ByLabel                          // rows partitioned by label: 8 bytes per edge, 8 bytes per vertex and label
	Mirrored                         // one flag, whether every edge has a reverse edge: no array
	Bloom                            // edge bitmap (a Bloom filter): 1 to 2 bytes per edge, half of that if Mirrored
	Weights                          // weights as float64: 8 bytes per edge
	Largest                          // largest weight of each row: 8 bytes per vertex
	Prefix                           // running sums of weights: 8 bytes per edge
	PackedLabels                     // begin of each label's edges within a row: 16 bytes per vertex
	Slim                             // 25-bit end points: 16 bytes per five edges
	Biased                           // number of edges with a non-zero bias: 4 bytes per vertex
	Reach                            // largest share of a neighbour, by weights: 16 bytes per vertex
	ParallelEdges                    // the same without weights: 16 bytes per vertex, or no array if there are no parallel edges
	Times                            // times: 8 bytes per edge
	BiasSums                         // prefix sums of the biases and of the numbers of non-zero biases: 12 bytes per edge
	Temporal                         // rows in order of time, of a view with index.TemporalRows: 20 bytes per edge
	Decay                            // their sums of decaying weights: 8 bytes per edge
	Segments                         // sums of biases: 8 bytes per vertex, 1 byte per four edges
	LabelWeights                     // biases of rows by label, and their sums: 8 bytes per vertex and label, 17 bytes per four edges
	layoutsEnd
)

var layoutNames = [...]string{
	"Rows", "Packed", "Wide", "Biases", "Alias", "WideAlias", "Labels", "IDs", "ByLabel", "Mirrored", "Bloom", "Weights", "Largest", "Prefix",
	"PackedLabels", "Slim", "Biased", "Reach", "ParallelEdges", "Times", "BiasSums", "Temporal", "Decay",
	"Segments", "LabelWeights",
}

// String returns the names of the layouts, separated by "|".
func (l Layout) String() string {
	var parts []string
	for one := range l.each() {
		parts = append(parts, layoutNames[bits.TrailingZeros32(uint32(one))])
	}
	return strings.Join(parts, "|")
}

// has reports whether l contains all of some.
func (l Layout) has(some Layout) bool { return l&some == some }

// each yields the single layouts of l. A layout follows those that it is built from.
func (l Layout) each() func(yield func(Layout) bool) {
	return func(yield func(Layout) bool) {
		for one := Rows; one < layoutsEnd; one <<= 1 {
			if l.has(one) && !yield(one) {
				return
			}
		}
	}
}

// viewLayouts are the layouts that depend on biases, or on the order of edges. A view has separate ones; it shares the others
// with its base graph.
const viewLayouts = Biases | Alias | WideAlias | Weights | Largest | Prefix | Biased | Reach | BiasSums | Temporal | Decay |
	Segments | LabelWeights

// inputs are the layouts that a layout is built from or read together with.
var inputs = map[Layout]Layout{
	Rows: 0, Packed: Rows, Wide: Rows | IDs, Biases: Rows, Alias: Rows | Biases, WideAlias: Rows | Alias, Labels: Rows, IDs: Rows,
	ByLabel: Rows | Labels, Mirrored: Rows, Bloom: Rows | Mirrored, Weights: Rows | Biases, Largest: Rows | Biases,
	Prefix: Rows | Biases, PackedLabels: Rows | ByLabel,
	Slim: Rows, Biased: Rows | Biases, Reach: Rows, ParallelEdges: Rows, Times: Rows, BiasSums: Rows, Temporal: Rows, Decay: Rows,
	Segments: Rows | Biases, LabelWeights: Rows | Biases | ByLabel,
}

// readWith are the inputs that kernels also read, so that they are held together with the layout.
const readWith = Rows | ByLabel | Mirrored

// Limits of the layouts. Others are constants of package kernels.
const (
	maxEdges32   = 1 << 32  // edges, because positions have 32 bits
	maxLabelRows = 1 << 36  // elements of label_rows
	bloomBits    = 8        // bits of the edge bitmap per pair of vertices, at least
	minBloomBits = 1 << 10  // bits of the edge bitmap, at least
	maxKinds     = 1 << 16  // distinct labels
	deviceWord   = int64(4) // bytes
	deviceLong   = 2 * deviceWord
	deviceQuad   = 4 * deviceWord
)

// Fits returns nil if a graph can have the layouts l on some GPU, and otherwise a DeviceError that says why not. It does not
// check how much memory is free.
func Fits(g *graph.Graph, l Layout) error { return fits(g, l, g.Weighted()) }

// fits is Fits for a graph with weights, or without.
func fits(g *graph.Graph, l Layout, weighted bool) error {
	for one := range l.each() {
		var reason string
		switch {
		case one&(Packed|Wide|WideAlias|ByLabel|PackedLabels|Slim|Temporal|Decay) != 0 && g.NumEdges() >= maxEdges32:
			reason = "2^32 edges or more"
		case one == Packed && g.MaxDegree() > kernels.PackedDegree:
			reason = "a vertex with 2^24 edges or more"
		case one == Slim && g.NumVertices() > 1<<kernels.SlimBits:
			reason = "more than 2^25 vertices"
		case one&(Biases|Alias|WideAlias|Weights|Largest|Prefix|Biased|Reach|BiasSums|Segments|LabelWeights) != 0 && !weighted:
			reason = "no weights"
		case one&(Labels|ByLabel|PackedLabels|LabelWeights) != 0 && g.Labels == nil:
			reason = "no labels"
		case one&(Temporal|Times|Decay) != 0 && g.Times == nil:
			reason = "no times"
		default:
			continue
		}
		return refuse.Device("the layout %v does not support a graph with %s", one, reason)
	}
	return nil
}
