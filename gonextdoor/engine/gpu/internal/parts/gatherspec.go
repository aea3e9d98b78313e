package parts

import (
	"strings"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/engine/gpu/internal/launch"
	"gonextdoor/gonextdoor/engine/gpu/resident"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/gonextdoor/refuse"
	"gonextdoor/kernels"
)

// Gathers says how a plan runs on a graph of which GPU memory has the rows that samples have read. See GatheredRows.
type Gathers struct {
	kernels []launch.Kernel // the fastest first
	biases  bool            // rows have biases
	alias   bool            // rows have alias tables
	biased  bool            // the numbers of edges with a positive bias are in GPU memory, for all rows
	Shares  bool            // rows have the sums of index.EdgeShares, and those at the begins of all rows are in GPU memory
	Pages   bool            // pages take the place of rows, and the begins of all rows are in GPU memory
	Ahead   bool            // samples ask for rows that they may not need, unless memory is short
}

// count returns the number of rows of a graph, or pages.
func (s *Gathers) count(g *graph.Graph) int {
	if s.Pages {
		return (g.NumEdges() + kernels.PageEdges - 1) / kernels.PageEdges
	}
	return g.NumVertices()
}

// row returns the positions of the edges of a row or page: the first, and the end.
func (s *Gathers) row(g *graph.Graph, i int) (first, end uint64) {
	if s.Pages {
		return uint64(i) * kernels.PageEdges, min(uint64(i+1)*kernels.PageEdges, uint64(g.NumEdges()))
	}
	return g.Indptr[i], g.Indptr[i+1]
}

// longest returns the largest number of edges of a row or page.
func (s *Gathers) longest(g *graph.Graph) int64 {
	if s.Pages {
		return kernels.PageEdges
	}
	return int64(app.LargestDegree(g))
}

// beside returns the table with an element per vertex that kernels read beside the rows; nil: none.
func (s *Gathers) beside() *index.Table {
	switch {
	case s.biased:
		return index.BiasedDegreesTable
	case s.Shares:
		return index.RowSharesTable
	case s.Pages:
		return rowBeginsTable
	}
	return nil
}

// rowBeginsTable describes the begins of all rows. The graph has them.
var rowBeginsTable = &index.Table{
	Name: "row begins", Bytes: func(g *graph.Graph) int64 { return 8 * int64(g.NumVertices()+1) },
	Built: func(*graph.Graph) bool { return true },
}

// GathersOf returns the Gathers of an app whose kernels for any graph are those of some variants.
func GathersOf(last []launch.Variant, layout resident.Layout) *Gathers {
	has := func(l resident.Layout) bool { return layout&l != 0 }
	s := &Gathers{biases: has(resident.Biases), alias: has(resident.Alias), biased: has(resident.Biased)}
	for _, v := range last {
		k := v.Kernel
		k.Name, k.Grid = strings.TrimSuffix(k.Name, "_plain")+"_gathered", ""
		s.kernels = append(s.kernels, k)
	}
	return s
}

// gathersOf returns the Gathers of a run that copies the rows that its samples read.
func gathersOf(r *launch.Run) *Gathers { return r.Spec.Beyond.(*Gathers) }

// Choose selects the kernel for gathered rows, and builds the tables of the host that rows are copied from. The memory
// for rows is allocated when the tables of the app are there.
func (s *Gathers) Choose(r *launch.Run) error {
	r.Kernel = s.kernels[min(r.Engine.Tuning.Variant, len(s.kernels)-1)]
	r.Args.G = kernels.Graph{Vertices: uint64(r.Graph.NumVertices()), Edges: uint64(r.Graph.NumEdges())}
	r.Gathering = true
	if s.alias {
		if err := index.BuildAlias(r.Graph, r.Options()); err != nil {
			return err
		}
	}
	switch {
	case s.biased:
		biased, err := index.BiasedDegreesOf(r.Graph, r.Options())
		if err != nil {
			return err
		}
		return holdBeside(r, &r.Args.G.Biased, resident.ArrayOf(biased))
	case s.Pages:
		return holdBeside(r, &r.Args.G.Indptr, resident.ArrayOf(r.Graph.Indptr))
	}
	return nil // fill holds the sums of shares
}

// holdBeside uploads the table beside the rows, and sets its address.
func holdBeside(r *launch.Run, address *uint64, array resident.HostArray) error {
	table := gathersOf(r).beside()
	at, err := r.HoldTable(resident.TableOf(table, table.Name), array)
	if err == nil {
		*address = at[0]
	}
	return err
}

// sizes returns the bytes of an element of each array of gathered rows, 0 if there is none, and of an edge in all arrays. ids is
// set if the rows have the ids of edges.
func (s *Gathers) sizes(g *graph.Graph, ids bool) (sizes [gatherArrays]int64, all int64) {
	sizes[gatherEnds] = 4
	if ids {
		sizes[gatherIDs] = 8
		if g.EdgeIDs != nil {
			sizes[gatherIDs] = 4
		}
	}
	if s.biases {
		sizes[gatherBiases] = 4
	}
	if s.alias {
		sizes[gatherAlias] = 16
	}
	if s.Shares {
		sizes[GatherSums] = 8
	}
	for _, bytes := range sizes {
		all += bytes
	}
	return sizes, all
}

// Plan returns the memory of rows that are copied when samples read them.
func (s *Gathers) Plan(e launch.Engine, p plan.Plan, edges bool) (plan.Parts, error) {
	g, limit := p.Graph, resident.Limit(e.Device.Total)
	_, each := s.sizes(g, edges || p.Records)
	parts := plan.Parts{Count: 1, Slots: 1, Gathered: true}
	if table := s.beside(); table != nil {
		parts.Beside, parts.BesideName = table.Bytes(g), table.Name
		limit -= parts.Beside
	}
	if err := s.room(g, limit, each); err != nil {
		return plan.Parts{}, err
	}
	parts.Tables, parts.EdgeBytes = s.tables(g), each
	if s.Pages {
		parts.PageEdges = kernels.PageEdges
	}
	parts.Bytes = parts.Tables + each*int64(g.NumEdges())
	parts.SlotBytes = min(limit, parts.Bytes)
	return parts, nil
}

// tables returns the bytes of the arrays with an element per row or page: the records, and the bitmap of those that were missed.
func (s *Gathers) tables(g *graph.Graph) int64 {
	n := int64(s.count(g))
	return aligned(8*n) + aligned(bitmapBytes(n))
}

func bitmapBytes(rows int64) int64 { return (rows + 63) / 64 * 8 }

// room returns an error unless some bytes have room for the tables and the longest row.
func (s *Gathers) room(g *graph.Graph, bytes, each int64) error {
	if needed := s.tables(g) + each*(s.longest(g)+2) + gatherArrays*partAlign; needed > bytes {
		return refuse.Device("%w on the GPU, not even row by row: its longest row and tables of all vertices need %s, and graphs may take %s: free memory of the GPU, raise GONEXTDOOR_DEVICE_MEMORY, or use device=\"cpu\"",
			resident.ErrRoom, cuda.Size(needed), cuda.Size(bytes))
	}
	return nil
}
