// Package gonextdoor samples large graphs: it ties a graph, an app, a plan and an engine together.
//
//	s, err := gonextdoor.New(g, &app.DeepWalk{Length: 80}, 1)
//	err = s.Matrix(batch, out, nil)
//
// A Sampler is an app on a graph. Matrix fills samples of one width into the caller's memory, as 32 or 64 bits; Ragged
// lends samples that differ in length. The result is a function of the graph, the app, the roots and the seed alone.
package gonextdoor
