package cpu_test

import (
	"testing"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/engine"
	"gonextdoor/gonextdoor/engine/cpu"
	"gonextdoor/gonextdoor/engine/enginetest"
)

func TestConformance(t *testing.T) {
	enginetest.Run(t, func() engine.Engine { return cpu.Engine{} })
}

func TestConformanceWithoutAssembly(t *testing.T) {
	enginetest.RunThose(t, func() engine.Engine { return cpu.Engine{Pure: true} }, staged)
}

func TestConformanceWithoutAVX512(t *testing.T) {
	enginetest.RunThose(t, func() engine.Engine { return cpu.Engine{NoAVX512: true} }, staged)
}

// staged says whether the app's driver has loops in assembly.
func staged(c enginetest.Case) bool {
	driver := app.Specs[c.App.Name()].Driver
	return driver != app.DriverHooked && driver != app.DriverPerSample
}
