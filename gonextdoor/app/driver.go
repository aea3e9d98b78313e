package app

// Driver names the loop of an engine that runs an app.
type Driver string

// The drivers. An engine that lacks one runs the app's serial definition, or refuses the plan.
const (
	DriverWalk        Driver = "walk"         // one choice per step, all walkers in step
	DriverStoppedWalk Driver = "stopped walk" // walkers end at different steps, and the remaining ones are compacted
	DriverSecondOrder Driver = "second order" // proposals that are checked against the previous vertex
	DriverTree        Driver = "tree"         // fan-outs: each vertex is a transit of the next step
	DriverMetropolis  Driver = "metropolis"   // one proposal per step, and walkers that stay
	DriverTeleport    Driver = "teleport"     // one choice per step, and walkers that jump
	DriverLabelled    Driver = "labelled"     // one choice per step among the edges of a label
	DriverTemporal    Driver = "temporal"     // one choice per step among the edges that may follow the last one in time
	DriverFrontier    Driver = "frontier"     // pools of vertices in step; each moves one of its vertices per step
	DriverNegatives   Driver = "negatives"    // pairs of vertices that are checked against the edges
	DriverComputed    Driver = "computed"     // walks by biases that are computed when a choice needs them
	DriverHooked      Driver = "hooked"       // a step program, whose choices are made in blocks between its hooks
	DriverPerSample   Driver = "per sample"   // one sample after another, each by one thread
)

// RootCount is the number of vertices from which a sample grows.
type RootCount int

// The kinds of roots.
const (
	OneRoot  RootCount = iota // exactly one vertex
	AnyRoots                  // one vertex or more
	NoRoots                   // none: the app chooses its own vertices
)
