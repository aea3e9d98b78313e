package serial_test

import (
	"testing"

	"gonextdoor/gonextdoor/engine"
	"gonextdoor/gonextdoor/engine/enginetest"
	"gonextdoor/gonextdoor/engine/serial"
)

func TestConformance(t *testing.T) {
	enginetest.Run(t, func() engine.Engine { return serial.Engine{} })
}
