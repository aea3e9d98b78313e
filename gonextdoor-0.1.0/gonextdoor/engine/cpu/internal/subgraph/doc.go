// Package subgraph has the drivers of the CPU engine for apps whose samples are made one at a time: layers (Layer, LADIES,
// FastGCN, MVS) and subgraphs with the edges between their vertices (GraphSAINT, ClusterGCN, Snowball, ForestFire,
// RandomNode, RandomEdge).
//
// Each exported function returns the grower of one thread, which package persample calls for every sample. It asks the app
// for a capability of package app, such as app.BreadthFirst, and reads its description once. A grower is not safe for
// concurrent use.
package subgraph
