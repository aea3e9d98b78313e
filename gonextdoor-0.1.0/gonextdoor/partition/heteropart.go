package partition

import (
	"gonextdoor/gonextdoor/engine/cpu/neighbor"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/refuse"
)

// HeteroPart is one part of a heterogeneous graph: for each relation, a Part with the rows of the vertices that the part owns. All
// relations that lead to a type are divided in the same way, so a vertex has all its rows in one part.
//
// Several goroutines may read a part.
type HeteroPart struct {
	Graph     *graph.Hetero // the types and the relations, which have no graphs
	Relations []*Part       // by relation

	assembler *neighbor.Sampler // of BatchCall
}

// NewHeteroPart returns a part of a heterogeneous graph. The graphs of h are ignored. The caller closes the relations after the
// part.
func NewHeteroPart(h *graph.Hetero, relations []*Part) (*HeteroPart, error) {
	if len(relations) == 0 || len(relations) != len(h.Relations) {
		return nil, refuse.Value("%d parts of relations: expected %d, one per relation, and at least 1", len(relations), len(h.Relations))
	}
	first := relations[0]
	for r, p := range relations {
		rel, name := h.Relations[r], h.OfRelation("relations", r)
		if p.Number != first.Number || p.Owners.Parts() != first.Owners.Parts() {
			return nil, refuse.Format("%s is part %d of %d: expected part %d of %d, as of the first relation", name, p.Number,
				p.Owners.Parts(), first.Number, first.Owners.Parts())
		}
		if need := max(h.Counts[rel.Destination], h.Counts[rel.Source]); p.Whole.Vertices < need {
			return nil, refuse.Format("%s: the graph has %d vertices, expected at least %d, the size of its larger vertex type", name,
				p.Whole.Vertices, need)
		}
	}
	return newHeteroPart(h, relations), nil
}

// alone returns a part of a graph of one type.
func alone(p *Part) *HeteroPart {
	return newHeteroPart(&graph.Hetero{Counts: []int{p.Whole.Vertices}, Relations: make([]graph.Relation, 1)}, []*Part{p})
}

// newHeteroPart is NewHeteroPart for parts that fit.
func newHeteroPart(h *graph.Hetero, relations []*Part) *HeteroPart {
	own := &graph.Hetero{Counts: h.Counts, Types: h.Types}
	for _, rel := range h.Relations {
		rel.Graph = nil
		own.Relations = append(own.Relations, rel)
	}
	return &HeteroPart{Graph: own, Relations: relations, assembler: neighbor.NewAssembler(own)}
}

// Number returns the number of the part.
func (h *HeteroPart) Number() int { return h.Relations[0].Number }

// Parts returns the number of parts.
func (h *HeteroPart) Parts() int { return h.Relations[0].Owners.Parts() }

// ends returns the number of vertices to which the edges of a relation may lead.
func (h *HeteroPart) ends(relation int) int {
	return h.Graph.Counts[h.Graph.Relations[relation].Source]
}

// Close frees what mini-batches have left for the next ones. The relations remain open.
func (h *HeteroPart) Close() { h.assembler.Close() }
