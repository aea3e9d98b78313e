package plan

// Driver names a loop of an engine.
type Driver string

// The drivers.
const (
	Walk        Driver = "walk"         // one choice a step, all walkers in step
	StoppedWalk Driver = "stopped walk" // walkers end at different steps and make room for the next
	SecondOrder Driver = "second order" // proposals that are checked against the vertex before
	Tree        Driver = "tree"         // fan-outs, each vertex a transit of the next step
)

// Table says which driver runs which app. The selector is the app's own: App.Selector.
var Table = map[string]struct {
	Driver  Driver
	OneRoot bool
}{
	"DeepWalk": {Walk, true},
	"PPR":      {StoppedWalk, true},
	"Node2Vec": {SecondOrder, true},
	"KHop":     {Tree, false},
}
