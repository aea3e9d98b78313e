package layered

import (
	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/engine/gpu/internal/launch"
	"gonextdoor/gonextdoor/engine/gpu/resident"
	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/kernels"
)

// ladiesSpec makes samples of an app.ImportanceLayered: each layer is drawn from the neighbourhood of the layer before.
func ladiesSpec(p plan.Plan) layeredSpec {
	layers := p.App.(app.ImportanceLayered).ImportanceLayers()
	s := importanceSpec(p, layers)
	s.drawn = func(roots int) float64 { return candidates(p, layers, roots) }
	for _, size := range layers.Sizes {
		if !layers.Replace {
			s.serial += float64(size)
		}
	}
	return s
}

// layerRows returns the number of rows that the layers of a sample are linked to: of all layers, and of the one with most.
func layerRows(layers app.ImportanceLayers, roots int) (all, most float64) {
	rows := float64(roots)
	for _, size := range layers.Sizes {
		all, most = all+rows, max(most, rows)
		rows = float64(size)
	}
	return all, most
}

// candidates returns about how many candidates the largest layer of an app.ImportanceLayered has, or a few times as many.
func candidates(p plan.Plan, layers app.ImportanceLayers, roots int) float64 {
	_, most := layerRows(layers, roots)
	on := app.SizeOf(p.Graph)
	degree := on.Degree() // symmetric importances hardly depend on the degree, those by rows grow with it
	if layers.Normalization == index.RowNorm {
		degree = max(degree, on.Neighbor()/plan.SharedNeighbors)
	}
	return min(plan.CandidateSlack*most*(degree+1), treeWords(p))
}

// layerOperations returns the expected number of operations of a sample of an app.ImportanceLayered.
func layerOperations(p plan.Plan, layers app.ImportanceLayers, roots int) float64 {
	all, _ := layerRows(layers, roots)
	on := app.SizeOf(p.Graph)
	degree := on.Degree()
	if layers.Normalization == index.RowNorm {
		degree = max(degree, on.Neighbor())
	}
	return plan.ImportanceOperations * all * (degree + 1)
}

// treeWords returns the number of elements of a tree of the sums of the importances of all vertices, sum_tree_words of
// kernels/selector/sumtree.cuh.
func treeWords(p plan.Plan) float64 {
	all := p.Graph.NumVertices()
	return float64(all + all/31 + 7)
}

// fastGCNSpec makes samples of an app.FixedImportance: layers that are drawn from the whole graph.
func fastGCNSpec(p plan.Plan) layeredSpec {
	a := p.App.(app.FixedImportance)
	layers, table := a.ImportanceLayers(), a.Importance()
	s := importanceSpec(p, layers)
	s.tables = candidateBytes * int64(p.Graph.NumVertices())
	fill := s.fill
	s.fill = func(r *launch.Run, to *kernels.Layered) error {
		if err := fill(r, to); err != nil {
			return err
		}
		key := resident.TableOf(index.ImportanceTable(layers.Normalization), "importances")
		at, err := r.HoldTable(key, resident.ArrayOf(table.Alias), resident.ArrayOf(table.Biases))
		if err != nil {
			return err
		}
		to.Total, to.G.Alias, to.G.Biases = table.Sum, at[0], at[1]
		return nil
	}
	return s
}

// importanceSpec returns the layeredSpec of layers that are drawn by importance.
func importanceSpec(p plan.Plan, layers app.ImportanceLayers) layeredSpec {
	vertices := int64(kernels.LayeredThreads) // the draws of a group beyond the last of a layer
	for _, size := range layers.Sizes {
		vertices += int64(size)
	}
	return layeredSpec{
		most:    mostVertices(max(vertices, int64(treeWords(p)))),
		maxEnds: int64(len(layers.Sizes)) + 1, links: plan.LinksPerVertex * float64(vertices), draws: true, values: true, grids: true,
		expected: func(of app.Expected, roots int) app.Expected {
			of.Operations = layerOperations(p, layers, roots)
			return of
		},
		fill: func(r *launch.Run, to *kernels.Layered) error {
			sizes := make([]uint64, len(layers.Sizes))
			for i, size := range layers.Sizes {
				sizes[i] = uint64(size)
			}
			to.Layers = uint64(len(sizes))
			to.Replace, to.Normalize = launch.Flag(layers.Replace), launch.Flag(layers.Normalize)
			to.ByRow = launch.Flag(layers.Normalization == index.RowNorm)
			return launch.Put(&r.Scratch, &to.Sizes, sizes)
		},
	}
}
