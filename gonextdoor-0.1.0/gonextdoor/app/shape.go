package app

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
