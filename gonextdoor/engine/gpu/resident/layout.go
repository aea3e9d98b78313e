package resident

import (
	"math/bits"
	"strings"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/refuse"
)

// Layout is a set of the arrays that a graph can have on a card.
type Layout uint32

// The layouts. Each holds Rows too, and what it is made from is made on the way.
const (
	Rows         Layout = 1 << iota // indptr and indices
	Packed                          // the rows of four vertices in 16 bytes
	Wide                            // for each edge its end point with that one's row, 16 bytes
	Biases                          // 4 bytes an edge
	Alias                           // the alias table, 16 bytes an edge
	WideAlias                       // the alias table with the rows of both end points, 32 bytes an edge
	Labels                          // 4 bytes an edge
	IDs                             // 4 or 8 bytes an edge, nothing where the position is the id
	ByLabel                         // rows partitioned by label
	Mirrored                        // whether every edge has its mirror
	Bloom                           // a bitmap of edges: 1 to 2 bytes an edge, half of that where Mirrored
	Weights                         // 8 bytes an edge
	Largest                         // the largest weight of each row, 8 bytes a vertex
	Prefix                          // running sums of weights, 8 bytes an edge
	PackedLabels                    // where the edges of each label begin, 16 bytes a vertex
	Slim                            // the end points of edges, five in 16 bytes
	Biased                          // how many edges of each vertex have a bias, 4 bytes a vertex
	layoutsEnd
)

var names = [...]string{
	"Rows", "Packed", "Wide", "Biases", "Alias", "WideAlias", "Labels", "IDs", "ByLabel", "Mirrored", "Bloom", "Weights", "Largest", "Prefix",
	"PackedLabels", "Slim", "Biased",
}

// String returns the names of the parts of the layout.
func (l Layout) String() string {
	var parts []string
	for one := range l.each() {
		parts = append(parts, names[bits.TrailingZeros32(uint32(one))])
	}
	return strings.Join(parts, "|")
}

// has says whether all of some layouts are among them.
func (l Layout) has(some Layout) bool { return l&some == some }

// each gives the layouts one by one, what others are made from first.
func (l Layout) each() func(yield func(Layout) bool) {
	return func(yield func(Layout) bool) {
		for one := Rows; one < layoutsEnd; one <<= 1 {
			if l.has(one) && !yield(one) {
				return
			}
		}
	}
}

// ofView are the layouts that a view has for itself. The others are those of the graph that it is a view of.
const ofView = Biases | Alias | WideAlias | Weights | Largest | Prefix | Biased

// needs are what a layout is made from, or is read with.
var needs = map[Layout]Layout{
	Rows: 0, Packed: Rows, Wide: Rows | IDs, Biases: Rows, Alias: Rows | Biases, WideAlias: Rows | Alias, Labels: Rows, IDs: Rows,
	ByLabel: Rows | Labels, Mirrored: Rows, Bloom: Rows | Mirrored, Weights: Rows | Biases, Largest: Rows | Biases,
	Prefix: Rows | Biases, PackedLabels: Rows | ByLabel,
	Slim: Rows, Biased: Rows | Biases,
}

// with are those of the needs that stay as long as the layout is used.
const with = Rows | ByLabel | Mirrored

// Limits of layouts, as those of the records that hold them.
const (
	narrowEdges  = 1 << 32   // positions have 32 bits
	packedDegree = 1<<24 - 1 // of PackedDegree in kernels/graph/packed.cuh
	mostStarts   = 1 << 36   // elements of label_rows
	packedRows   = 4         // vertices of a record
	slimEdges    = 5         // end points of a record
	slimVertices = 1 << 25
	bloomBits    = 8        // for each pair at least
	leastBits    = 1 << 10  // of a bitmap
	mostKinds    = 1 << 16  // labels
	packedKinds  = 96       // labels that PackedLabels has a bit for each
	deviceWord   = int64(4) // bytes
	deviceLong   = 2 * deviceWord
	deviceQuad   = 4 * deviceWord
)

// Fits says why a graph cannot have a layout on any card, or nil.
func Fits(g *graph.Graph, l Layout) error { return fits(g, l, g.Weighted()) }

func fits(g *graph.Graph, l Layout, weighted bool) error {
	for one := range l.each() {
		var reason string
		switch {
		case one&(Packed|Wide|WideAlias|ByLabel|PackedLabels|Slim) != 0 && g.NumEdges() >= narrowEdges:
			reason = "2^32 edges or more"
		case one == Packed && g.MaxDegree() > packedDegree:
			reason = "a vertex with 2^24 edges or more"
		case one == Slim && g.NumVertices() > slimVertices:
			reason = "more than 2^25 vertices"
		case one&(Biases|Alias|WideAlias|Weights|Largest|Prefix|Biased) != 0 && !weighted:
			reason = "no weights"
		case one&(Labels|ByLabel|PackedLabels) != 0 && g.Labels == nil:
			reason = "no labels"
		default:
			continue
		}
		return refuse.Device("the layout %v is not for a graph with %s", one, reason)
	}
	return nil
}
