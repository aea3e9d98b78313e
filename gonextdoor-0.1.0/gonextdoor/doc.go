// Package gonextdoor samples large graphs: it plans an app on a graph and runs the plan on the CPU or on GPUs.
//
//	s, err := gonextdoor.New(g, &apps.DeepWalk{Length: 80}, 1)
//	err = s.Matrix(batch, out, nil)
//
// A Sampler is an app on a graph, planned for an engine. Matrix writes samples of one width to the caller's memory with
// 32-bit vertices, Int64 with 64-bit vertices. Ragged and Layers return samples that differ in length. OnDevice leaves them
// on a GPU, and CountVisits counts their vertices without storing them. The result depends only on the graph, the app, the
// roots and the seed.
//
// NewFor chooses GPUs explicitly, and DeviceFor estimates whether a GPU finishes before the CPU. Every kind of GPU is an
// engine.Backend, which device.go registers.
package gonextdoor
