package apps

import (
	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/graph/index"
	"gonextdoor/gonextdoor/refuse"
)

// checkSizes returns an error if a layer has a size below 1, or all together have 2^28 vertices or more.
func checkSizes(sizes []int) error {
	sum := 0
	for i, s := range sizes {
		if s < 1 {
			return refuse.Value("sizes[%d] = %d: expected at least 1", i, s)
		}
		if sum += min(s, app.MaxWidth); sum >= app.MaxWidth {
			return refuse.Value("sizes = %v: expected fewer than 2^28 vertices per sample", sizes)
		}
	}
	return nil
}

// rowNormHubs divides the mean degree of the end of an edge: the quotient is about that of a vertex that is drawn by an
// importance that is normalised by rows, which prefers hubs. Symmetric importances hardly depend on the degree.
const rowNormHubs = 4

// expectLayers returns the expected size of samples whose links are found in the rows of the layer before each layer.
func expectLayers(sizes []int, norm index.Normalization, roots int, on app.Size) (e app.Expected) {
	rows, degree := float64(roots), on.Degree()
	for _, size := range sizes {
		e.Vertices, e.Operations = e.Vertices+float64(size), e.Operations+float64(size)+rows*degree
		rows = float64(size)
		if norm == index.RowNorm {
			degree = max(degree, on.Neighbor()/rowNormHubs)
		}
	}
	return e
}
