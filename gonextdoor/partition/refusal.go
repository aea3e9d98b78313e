package partition

import (
	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/apps"
	"gonextdoor/gonextdoor/refuse"
)

// notLocal has the reason why an app cannot be sampled by parts, by its name: its choices read more than the rows of the
// vertices of a sample.
var notLocal = map[string]string{
	"MultiDimensionalWalk": "each step chooses among a pool of vertices of all parts",
	"Layer":                "each step chooses among the neighbours of all vertices of the sample together",
	"FastGCN":              "each layer is drawn from all vertices of the graph by their importance",
	"LADIES":               "each layer is drawn by an importance that is summed over all parts",
	"GraphSAINT":           "it records all edges between the vertices of a sample, which are in several parts",
	"RandomNode":           "it records all edges between the vertices of a sample, which are in several parts",
	"RandomEdge":           "it draws edges of the whole graph by their position",
	"ClusterGCN":           "it records all edges between the vertices of a sample, which are in several parts",
	"MVS":                  "a batch is drawn from all vertices of the graph by their scores",
	"Snowball":             "a vertex is visited once per sample, which all parts would have to agree on in each step",
	"App":                  "its functions may read any row of the graph",
}

// RefuseLocal returns an error if the samples of an app cannot be made by parts; it names the app and the reason.
func RefuseLocal(name string) error {
	if why, ok := notLocal[name]; ok {
		return refuse.Value("app = %s: it cannot be sampled on a partitioned graph, since %s; sample the whole graph", name, why)
	}
	return nil
}

// refuseRoots returns the error of RefuseLocal, or one for an app that does not grow from that many roots per sample.
func refuseRoots(a app.App, roots int) error {
	if err := RefuseLocal(a.Name()); err != nil {
		return err
	}
	if roots < 1 || apps.Specs[a.Name()].Roots == app.OneRoot && roots != 1 {
		return refuse.Value("roots has %d vertices per sample, but %s takes one; pass roots of shape (n,)", roots, a.Name())
	}
	if t, ok := a.(app.TemporalWalker); ok && t.TimeLimits().Each() {
		return refuse.Value("start or end has one time per root; expected one time for all roots on a partitioned graph")
	}
	return nil
}

// refuseWalks returns the error of refuseRoots, or one for an app that does not make walks.
func refuseWalks(a app.App, roots int) error {
	if err := RefuseLocal(a.Name()); err != nil {
		return err
	}
	if apps.Specs[a.Name()].Family != app.FamilyWalk {
		return refuse.Value("app = %s: its samples are trees; expected an app whose samples are walks", a.Name())
	}
	return refuseRoots(a, roots)
}
