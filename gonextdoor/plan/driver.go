package plan

import "gonextdoor/gonextdoor/app"

// Driver is app.Driver.
type Driver = app.Driver

// The drivers.
const (
	Walk        = app.DriverWalk
	StoppedWalk = app.DriverStoppedWalk
	SecondOrder = app.DriverSecondOrder
	Tree        = app.DriverTree
	Metropolis  = app.DriverMetropolis
	Leaping     = app.DriverTeleport
	Labelled    = app.DriverLabelled
	Frontier    = app.DriverFrontier
	Computed    = app.DriverComputed
	Hooked      = app.DriverHooked
	Whole       = app.DriverPerSample
)
