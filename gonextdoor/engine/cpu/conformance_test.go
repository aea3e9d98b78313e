package cpu_test

import (
	"testing"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/apps"
	"gonextdoor/gonextdoor/engine"
	"gonextdoor/gonextdoor/engine/cpu"
	"gonextdoor/gonextdoor/engine/enginetest"
)

// A short run has every second pair of a case and a variant, and the other pairs the next day.
func TestConformance(t *testing.T) {
	share := enginetest.NewShare(t, 2)
	enginetest.Run(t, func() engine.Engine { return cpu.Engine{} }, staged, share)
}

// A short run has one pair in 6 of one case in 5: every pair in 30 days. The serial definitions of these apps take most of the
// time, and 6 is the period of the variants' seeds and ids, so that a case needs one definition a day.
func TestConformanceOfSteps(t *testing.T) {
	share, cases := enginetest.NewShare(t, 6), enginetest.NewShare(t, 5)
	others := func(c enginetest.Case) bool { return !staged(c) && cases.Takes() }
	enginetest.Run(t, func() engine.Engine { return cpu.Engine{} }, others, share)
}

func TestConformanceWithoutAssembly(t *testing.T) {
	share := enginetest.NewShare(t, 6)
	enginetest.Run(t, func() engine.Engine { return cpu.Engine{Pure: true} }, staged, share)
}

func TestConformanceWithoutAVX512(t *testing.T) {
	share := enginetest.NewShare(t, 6)
	enginetest.Run(t, func() engine.Engine { return cpu.Engine{NoAVX512: true} }, staged, share)
}

// staged reports whether the app's driver has loops in assembly.
func staged(c enginetest.Case) bool {
	driver := apps.Specs[c.App.Name()].Driver
	return driver != app.DriverHooked && driver != app.DriverPerSample
}

func TestNegatives(t *testing.T) {
	enginetest.Negatives(t, cpu.Engine{}, func(enginetest.Case) bool { return true })
}

func TestNegativesAtHops(t *testing.T) { enginetest.NegativesAtHops(t, cpu.Engine{}) }

func TestRootTimes(t *testing.T) { enginetest.RootTimes(t, cpu.Engine{}) }
