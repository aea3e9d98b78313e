package cpu_test

import (
	"testing"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/engine"
	"gonextdoor/gonextdoor/engine/cpu"
	"gonextdoor/gonextdoor/engine/enginetest"
)

// A short run checks half of the cases in this variant, and the other half the next day.
func TestConformance(t *testing.T) {
	share := enginetest.NewShare(t, 2)
	enginetest.Run(t, func() engine.Engine { return cpu.Engine{} }, enginetest.Any, share)
}

func TestConformanceWithoutAssembly(t *testing.T) {
	share := enginetest.NewShare(t, 6)
	enginetest.Run(t, func() engine.Engine { return cpu.Engine{Pure: true} }, staged, share)
}

func TestConformanceWithoutAVX512(t *testing.T) {
	share := enginetest.NewShare(t, 6)
	enginetest.Run(t, func() engine.Engine { return cpu.Engine{NoAVX512: true} }, staged, share)
}

// staged reports whether the driver of the app has loops in assembly.
func staged(c enginetest.Case) bool {
	driver := app.Specs[c.App.Name()].Driver
	return driver != app.DriverHooked && driver != app.DriverPerSample
}
