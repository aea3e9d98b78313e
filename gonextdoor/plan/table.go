package plan

// Driver names a loop of an engine.
type Driver string

// The drivers.
const (
	Walk        Driver = "walk"         // one choice a step, all walkers in step
	StoppedWalk Driver = "stopped walk" // walkers end at different steps and make room for the next
	SecondOrder Driver = "second order" // proposals that are checked against the vertex before
	Tree        Driver = "tree"         // fan-outs, each vertex a transit of the next step
	Metropolis  Driver = "metropolis"   // one proposal a step, and walkers that stay
	Leaping     Driver = "leaping"      // one choice a step, and walkers that leap elsewhere
	Labelled    Driver = "labelled"     // one choice a step among the edges of a label
	Frontier    Driver = "frontier"     // pools of vertices in step, of which each moves one
	Computed    Driver = "computed"     // walks by biases that are computed when they come up
	Hooked      Driver = "hooked"       // the one step of app.Growth, choices in blocks between its hooks
	Whole       Driver = "whole"        // one sample after the other, each by one thread
)

// RootsOf says what an app's samples grow from.
type RootsOf int

// The kinds of roots.
const (
	OneRoot RootsOf = iota
	AnyRoots
	NoRoots // the app chooses its own vertices
)

// Table says which driver runs which app. The selector is the app's own: App.Selector.
var Table = map[string]struct {
	Driver Driver
	Roots  RootsOf
}{
	"DeepWalk":   {Walk, OneRoot},
	"PPR":        {StoppedWalk, OneRoot},
	"Node2Vec":   {SecondOrder, OneRoot},
	"KHop":       {Tree, AnyRoots},
	"App":        {Hooked, AnyRoots},
	"Layer":      {Whole, AnyRoots},
	"MVS":        {Whole, NoRoots},
	"FastGCN":    {Whole, AnyRoots},
	"LADIES":     {Whole, AnyRoots},
	"Neighbor":   {Tree, AnyRoots},
	"Snowball":   {Whole, AnyRoots},
	"ForestFire": {Whole, AnyRoots},
	"RandomNode": {Whole, NoRoots},
	"RandomEdge": {Whole, NoRoots},
	"ClusterGCN": {Whole, NoRoots},
	"GraphSAINT": {Whole, NoRoots},

	"Walk":                 {Walk, OneRoot},
	"MetropolisHastings":   {Metropolis, OneRoot},
	"Jump":                 {Leaping, OneRoot},
	"Restart":              {Leaping, OneRoot},
	"MultiIndependent":     {Tree, AnyRoots},
	"MultiDimensionalWalk": {Frontier, AnyRoots},
	"MetaPath":             {Labelled, OneRoot},
}
