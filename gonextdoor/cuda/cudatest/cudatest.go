// Package cudatest is for tests that need a GPU: it gives the process one. On machines without, the driver is emulated by
// kernels/host, which runs the kernels' own text; with GONEXTDOOR_TEST_DEVICE=cuda it is the machine's own.
//
// It is internal to the tests of this module; it is not in a folder named internal so that it is beside what it tests.
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
)

// Root is the folder of the sources.
func Root() string {
	_, file, _, _ := runtime.Caller(0)
	return filepath.Join(filepath.Dir(file), "..", "..", "..")
}

// Build builds the emulated driver of a folder of kernels, and gives its path.
func Build(kernels string) (path string, err error) {
	var said strings.Builder
	command := exec.Command(python(Root()), filepath.Join(Root(), "kernels", "host", "build.py"), kernels)
	command.Stderr = &said
	printed, err := command.Output()
	var ended *exec.ExitError
	switch {
	case err == nil:
		return strings.TrimSpace(string(printed)), nil
	case errors.As(err, &ended) && ended.ExitCode() == 3:
		return "", noCompilerError(said.String())
	}
	return "", errors.New("building the emulated driver: " + err.Error() + "\n" + said.String())
}

var build = sync.OnceValue(func() error {
	path, err := Build(filepath.Join(Root(), "kernels"))
	if err != nil {
		return err
	}
	return os.Setenv(library, path)
})

type noCompilerError string

func (e noCompilerError) Error() string { return strings.TrimSpace(string(e)) }

func python(root string) string {
	if p := filepath.Join(root, ".venv", "bin", "python"); exec.Command(p, "-c", "").Run() == nil {
		return p
	}
	return "python3"
}

// Real says whether tests run on the machine's own GPU.
func Real() bool { return os.Getenv(device) == "cuda" }

// Driver gives the process a driver, before the first use of package cuda: the emulated one, which is built where it is
// not there yet, unless tests run on a real GPU. Without a C++ compiler the test is skipped.
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
