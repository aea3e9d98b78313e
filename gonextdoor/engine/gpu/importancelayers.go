package gpu

import (
	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/kernels"
)

// ladiesSpec makes samples of an app.ImportanceLayered: each layer is drawn from the neighbourhood of the layer before.
func ladiesSpec(p plan.Plan) layeredSpec {
	layers := p.App.(app.ImportanceLayered).ImportanceLayers()
	s := importanceSpec(p, layers)
	s.drawn = func(roots int) float64 { return candidates(p, layers, roots) }
	return s
}

// candidates returns about how many candidates the largest layer of an app.ImportanceLayered has.
func candidates(p plan.Plan, layers app.ImportanceLayers, roots int) float64 {
	on := app.SizeOf(p.Graph)
	most := float64(roots)
	for i, size := range layers.Sizes {
		if i+1 < len(layers.Sizes) {
			most = max(most, float64(size))
		}
	}
	degree := on.Degree() // symmetric importances hardly depend on the degree, those by rows grow with it
	if layers.Normalization == index.RowNorm {
		degree = max(degree, on.Neighbor()/plan.SharedNeighbors)
	}
	return min(plan.CandidateSlack*most*(degree+1), treeWords(p))
}

// treeWords returns the number of elements of a tree of the sums of the importances of all vertices, sum_tree_words of
// kernels/selector/sumtree.cuh.
func treeWords(p plan.Plan) float64 {
	all := p.Graph.NumVertices()
	return float64(all + all/31 + 7)
}

// fastGCNSpec makes samples of an app.FixedImportance: layers that are drawn from the whole graph. The table of importances
// is uploaded at every call.
func fastGCNSpec(p plan.Plan) layeredSpec {
	a := p.App.(app.FixedImportance)
	s := importanceSpec(p, a.ImportanceLayers())
	fill, table := s.fill, a.Importance()
	s.fill = func(r *run, to *kernels.Layered) error {
		to.Total = table.Sum
		return first(fill(r, to), put(&r.scratch, &to.G.Alias, table.Alias), put(&r.scratch, &to.G.Biases, table.Biases))
	}
	return s
}

// importanceSpec returns the layeredSpec of layers that are drawn by importance.
func importanceSpec(p plan.Plan, layers app.ImportanceLayers) layeredSpec {
	vertices := int64(layeredThreads) // the draws of a group beyond the last of a layer
	for _, size := range layers.Sizes {
		vertices += int64(size)
	}
	return layeredSpec{
		most:    mostVertices(max(vertices, int64(treeWords(p)))),
		maxEnds: int64(len(layers.Sizes)) + 1, links: plan.LinksPerVertex * float64(vertices), draws: true, values: true,
		fill: func(r *run, to *kernels.Layered) error {
			sizes := make([]uint64, len(layers.Sizes))
			for i, size := range layers.Sizes {
				sizes[i] = uint64(size)
			}
			to.Layers = uint64(len(sizes))
			to.Replace, to.Normalize = flag(layers.Replace), flag(layers.Normalize)
			to.ByRow = flag(layers.Normalization == index.RowNorm)
			return put(&r.scratch, &to.Sizes, sizes)
		},
	}
}
