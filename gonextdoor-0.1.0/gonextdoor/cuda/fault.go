package cuda

import (
	"errors"
	"fmt"

	"gonextdoor/gonextdoor/refuse"
)

// Code is an error code of the driver, a CUresult.
type Code int

// The codes that the messages distinguish.
const (
	codeOutOfMemory     Code = 2
	codeNotInitialized  Code = 3
	codeStub            Code = 34
	codeUnavailable     Code = 46
	codeNoDevice        Code = 100
	codeInvalidImage    Code = 200
	codeNoBinary        Code = 209
	codeInvalidPTX      Code = 218
	codeNoCompiler      Code = 221
	codeUnsupportedPTX  Code = 222
	codeCompilingOff    Code = 223
	codeNotReady        Code = 600
	codeRegistered      Code = 712
	codeTooLarge        Code = 720
	codeNotSupported    Code = 801
	codeSystemNotReady  Code = 802
	codeSystemMismatch  Code = 803
	codeNotCompatible   Code = 804
	firstLost, lastLost Code = 700, 719 // the range of codes after which a context is unusable
)

// Error returns the driver's name of the code and its number.
func (c Code) Error() string {
	if name := codeName(c); name != "" {
		return fmt.Sprintf("%s (%d)", name, int(c))
	}
	return fmt.Sprintf("CUDA error %d", int(c))
}

// errForked is the error of all calls in a forked child. CUDA does not survive a fork: calls would hang or crash.
var errForked = refuse.Device("the GPU was used before this process was forked, and a forked child cannot use it: start workers by 'spawn' or 'forkserver' (multiprocessing.get_context('spawn'); DataLoader(multiprocessing_context='spawn'))")

// advice returns what the user can do about a code, or "".
func advice(c Code) string {
	switch {
	case c == codeOutOfMemory:
		return "free memory of the GPU, or sample fewer at a time"
	case c == codeUnavailable:
		return "another process has the GPU for itself (nvidia-smi shows which, and the compute mode)"
	case c == codeInvalidImage || c == codeInvalidPTX || c == codeUnsupportedPTX:
		return "the driver cannot read the compiled kernels: install a newer driver, or the package again"
	case c == codeNoBinary:
		return "the package was built for other GPUs: install a wheel, or build without GONEXTDOOR_CUDA_ARCHS"
	case c == codeNoCompiler:
		return "the package has no machine code for this GPU, and the driver's libnvidia-ptxjitcompiler.so.1 is missing: install the whole driver, or build with GONEXTDOOR_CUDA_ARCHS=all"
	case c == codeCompilingOff:
		return "the package has no machine code for this GPU, and the driver may not compile PTX: unset CUDA_DISABLE_PTX_JIT, or build with GONEXTDOOR_CUDA_ARCHS=all"
	case c == codeTooLarge:
		return "more blocks than the GPU holds at once: this is an error of gonextdoor"
	case c == codeNotSupported:
		return "the driver is too old: install 525 or later"
	case c == codeRegistered:
		return "memory of the same pages is pinned already"
	case c >= firstLost && c <= lastLost:
		return "the GPU's context is lost, for PyTorch too: start a new process"
	}
	return ""
}

// fault converts an error of the driver to a DeviceError. doing completes the sentence "GPU: ... failed". It returns nil for
// nil.
func fault(doing string, err error) error {
	if err == nil {
		return nil
	}
	var c Code
	if !errors.As(err, &c) {
		return refuse.Device("GPU: %s failed: %w", doing, err)
	}
	if c == codeNotInitialized {
		return errForked
	}
	if a := advice(c); a != "" {
		return refuse.Device("GPU: %s failed: %w: %s", doing, c, a)
	}
	return refuse.Device("GPU: %s failed: %w", doing, c)
}

// noDriver returns the error of Status: why no GPU can be used, and what to do.
func noDriver(c Code, reason string) error {
	switch c {
	case codeNotInitialized:
		return errForked
	case codeNoDevice:
		if reason == "" {
			return refuse.Device("no GPU: %w", errBuiltWithout)
		}
		return refuse.Device("no GPU can be used: %s: a machine with an NVIDIA GPU needs its driver (525 or later), and containers need it passed in (docker run --gpus all); CUDA_VISIBLE_DEVICES must not be empty", reason)
	case codeStub:
		return refuse.Device("no GPU can be used: %s: the library is CUDA's stub for linking; take its folder off LD_LIBRARY_PATH", reason)
	case codeSystemMismatch, codeNotCompatible:
		return refuse.Device("no GPU can be used: %s: the driver's library and its kernel module differ: reboot, or give the container the driver of its host", reason)
	case codeSystemNotReady:
		return refuse.Device("no GPU can be used: %s: the system is not ready: nvidia-fabricmanager must run on machines with NVSwitch", reason)
	}
	return refuse.Device("no GPU can be used: %s: see whether nvidia-smi works", reason)
}

// tooOld returns the error of Status for a driver older than minVersion.
func tooOld(version int) error {
	speaks := "does not say which CUDA it speaks"
	if version > 0 {
		speaks = fmt.Sprintf("speaks CUDA %d.%d", version/1000, version%1000/10)
	}
	return refuse.Device("no GPU can be used: the driver is too old: it %s, and 12.0 or later is needed: install driver 525 or later", speaks)
}

var errBuiltWithout = errors.New("this build of gonextdoor has no GPU support: it is for Linux on x86-64, built with cgo and CUDA's header (pip install gonextdoor, or see docs/building.md)")

// visible describes n GPUs for messages.
func visible(n int) string {
	switch n {
	case 0:
		return "none"
	case 1:
		return "1, cuda:0"
	}
	return fmt.Sprintf("%d, cuda:0 to cuda:%d", n, n-1)
}
