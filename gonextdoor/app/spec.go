package app

// Spec describes an app for the planner and the public API. Properties that depend on parameters are methods of the app:
// Width, Layered, Records, Weighs, Tables, Pool and Expect.
type Spec struct {
	Name   string     // in the public API
	New    func() App // returns the app with zero parameters
	Family Family     // the kind of its samples
	Roots  RootCount  // the number of vertices from which a sample grows
	Driver Driver     // of the bound app, unless its biases are computed
	Cost   Cost       // of one operation on one CPU thread

	// Computed is the cost if biases are computed when a choice needs them; zero if the app never does that.
	Computed Cost
}

// Shape is the shape of an app's samples.
type Shape struct {
	Width   int  // vertices of a whole sample, roots included; 0 if samples differ in length
	Layered bool // whether samples may have steps of different sizes, or record edges
	Records bool // whether samples have links
}

// ShapeOf returns the shape of the samples of a with the given number of roots.
func ShapeOf(a App, roots int) Shape {
	if l, ok := a.(Layered); ok && l.Layered(roots) {
		return Shape{Layered: true, Records: l.Records()}
	}
	return Shape{Width: a.Width(roots)}
}

// Pooled is an app whose samples grow from a pool of vertices, which is drawn if no roots are given.
type Pooled interface {
	App
	// Pool returns the number of vertices of a pool that is drawn.
	Pool() int
}

// PoolOf returns the number of vertices that are drawn for each sample if no roots are given: 0 for an app that chooses
// its own vertices, -1 for an app that grows a sample from each vertex of the graph.
func PoolOf(a App) int {
	if p, ok := a.(Pooled); ok {
		return p.Pool()
	}
	if Specs[a.Name()].Roots == NoRoots {
		return 0
	}
	return -1
}
