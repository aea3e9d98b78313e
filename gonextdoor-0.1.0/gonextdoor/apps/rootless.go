package apps

import "gonextdoor/gonextdoor/graph"

// rootless has the methods that apps without roots share: they ignore weights, and their samples are layered.
type rootless struct{}

// Weighs is false.
func (rootless) Weighs(*graph.Graph) bool { return false }

// Width is 0: samples may differ in size.
func (rootless) Width(int) int { return 0 }

// Layered is true.
func (rootless) Layered(int) bool { return true }

// Records is true: samples have links.
func (rootless) Records() bool { return true }
