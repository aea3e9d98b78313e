// Package cudatest provides a CUDA driver for tests. By default this is the emulated driver of kernels/host, which runs the
// kernels, compiled for the CPU. With GONEXTDOOR_TEST_DEVICE=cuda it is the driver of the machine.
package cudatest

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
)

const (
	library = "GONEXTDOOR_LIBCUDA"
	device  = "GONEXTDOOR_TEST_DEVICE"
	devices = "GONEXTDOOR_HOST_DEVICES"
)

// Root returns the root folder of the sources.
func Root() string {
	_, file, _, _ := runtime.Caller(0)
	return filepath.Join(filepath.Dir(file), "..", "..", "..")
}

// Build compiles the emulated driver with the kernels of a folder, and returns the path of the library. The build is cached.
func Build(kernels string) (path string, err error) {
	var stderr strings.Builder
	command := exec.Command(python(Root()), filepath.Join(Root(), "kernels", "host", "build.py"), kernels)
	command.Stderr = &stderr
	printed, err := command.Output()
	var ended *exec.ExitError
	switch {
	case err == nil:
		return strings.TrimSpace(string(printed)), nil
	case errors.As(err, &ended) && ended.ExitCode() == 3:
		return "", noCompilerError(stderr.String())
	}
	return "", errors.New("building the emulated driver: " + err.Error() + "\n" + stderr.String())
}

var build = sync.OnceValue(func() error {
	path, err := Build(filepath.Join(Root(), "kernels"))
	if err != nil {
		return err
	}
	if os.Getenv(devices) == "" {
		if err := os.Setenv(devices, "3"); err != nil {
			return err
		}
	}
	return os.Setenv(library, path)
})

// noCompilerError means that the machine has no C++ compiler.
type noCompilerError string

func (e noCompilerError) Error() string { return strings.TrimSpace(string(e)) }

// python returns the interpreter to run build.py with.
func python(root string) string {
	if p := filepath.Join(root, ".venv", "bin", "python"); exec.Command(p, "-c", "").Run() == nil {
		return p
	}
	return "python3"
}

// Real reports whether tests run on a real GPU.
func Real() bool { return os.Getenv(device) == "cuda" }

// Driver provides the process with a driver. Tests call it before the first use of package cuda. Unless tests run on a real
// GPU, it builds the emulated driver if necessary, and skips the test if there is no C++ compiler.
func Driver(t testing.TB) {
	t.Helper()
	if Real() || os.Getenv(library) != "" {
		return
	}
	err := build()
	var none noCompilerError
	if errors.As(err, &none) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
}
