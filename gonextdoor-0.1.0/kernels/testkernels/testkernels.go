// Package testkernels holds the kernels that only tests run: single choices, and the task queues by themselves. No
// other package imports it, so neither their text nor their code is in a wheel.
//
// It is internal to the tests of this module; it is not in a folder named internal so that it is beside what it tests.
package testkernels

import (
	"embed"
	"fmt"
)

//go:embed bin
var compiled embed.FS

// Image returns the code that NAME.cu was compiled to.
//
// Errors: this build has none, as only real GPUs need it.
func Image(name string) ([]byte, error) {
	image, err := compiled.ReadFile("bin/" + name + ".fatbin")
	if err != nil {
		return nil, fmt.Errorf("no compiled test kernels %q: run python build_backend/nvrtc.py --tests", name)
	}
	return image, nil
}
