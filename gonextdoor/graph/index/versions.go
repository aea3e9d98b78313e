package index

import "gonextdoor/gonextdoor/graph"

// UpdateTables copies the tables of a graph, from, that take longer to build than a version of it: the alias tables and the edge
// set. What belongs to changed rows is built anew. A version gets no table that the graph lacks.
func UpdateTables(g, from *graph.Graph, opts graph.Options) error {
	if err := UpdateAlias(g, from, opts); err != nil {
		return err
	}
	return UpdateEdgeSet(g, from, opts)
}
