package gonextdoor

import (
	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/plan"
)

// exceed returns how devices run a plan if the graph exceeds the memory of one of them: part by part, or not at all, so that the
// CPU makes the samples. why is the reason for the latter. Both are empty if the graph fits, or is split over the devices.
func (on Devices) exceed(p plan.Plan, s split, edges bool) (parts plan.Parts, why, err error) {
	if len(s.placement.Devices) > 0 {
		return parts, nil, nil
	}
	for _, id := range on.ids() {
		if why, err = devices.Exceeds(p, id, edges); why != nil || err != nil {
			return parts, why, err
		}
	}
	parts, err = devices.InParts(p, on.First(), edges)
	return parts, nil, err
}

// Excess is how a call on devices runs whose graph may exceed the memory of one of them.
type Excess int

// The values of Excess. The exported functions of the Python extension return these numbers.
const (
	Fits      Excess = iota // the graph fits
	InParts                 // it is copied part by part, or row by row
	MayExceed               // it fits, but perhaps not while its layouts are built, or beside those of other calls
	FromHost                // the CPU makes the samples
)

// ExcessOf returns how calls of an app on devices run, with or without edge ids. The app's hooks need not be compiled yet.
// For MayExceed they should be compiled for the CPU too.
func ExcessOf(on Devices, g *graph.Graph, a app.App, rootWidth int, edges bool) (Excess, error) {
	p, err := plan.Draft(a, g, rootWidth)
	if err != nil {
		return Fits, err
	}
	if _, err := devices.Compile(p); err != nil {
		return Fits, nil // refused
	}
	s, err := on.splitFor(g, leastOf(p))
	if err != nil || len(s.placement.Devices) > 0 {
		return Fits, err
	}
	parts, why, err := on.exceed(p, s, edges)
	switch {
	case err != nil:
		return Fits, err
	case why != nil:
		return FromHost, nil
	case parts.Count > 0:
		return InParts, nil
	}
	m, err := memoryFor(on.ids(), func(id int) (int64, error) {
		bytes, err := devices.LeastBytes(p, id, true)
		return 2 * bytes, err
	})
	if err != nil || m.fits() {
		return Fits, err
	}
	return MayExceed, nil
}
