package cuda

import (
	"errors"
	"testing"
)

func TestFaultsSayWhatToDo(t *testing.T) {
	for code, words := range map[Code][]string{
		codeOutOfMemory:    {"trying failed", "free memory"},
		codeNotInitialized: {"forked", "'spawn'"},
		codeUnavailable:    {"another process"},
		codeInvalidImage:   {"newer driver"},
		codeUnsupportedPTX: {"newer driver"},
		codeNoBinary:       {"built for other GPUs"},
		codeNoCompiler:     {"libnvidia-ptxjitcompiler.so.1 is missing", "GONEXTDOOR_CUDA_ARCHS=all"},
		codeCompilingOff:   {"CUDA_DISABLE_PTX_JIT", "GONEXTDOOR_CUDA_ARCHS=all"},
		codeNotSupported:   {"525"},
		700:                {"the GPU's context is lost", "new process"},
		719:                {"the GPU's context is lost"},
		12345:              {"trying failed", "12345"},
	} {
		wants(t, fault("trying", code), words...)
	}
	wants(t, fault("trying", errors.New("something")), "trying failed: something")
	if fault("trying", nil) != nil {
		t.Error("fault(nil) is not nil")
	}
}

func TestNoDriverSaysWhy(t *testing.T) {
	for code, words := range map[Code][]string{
		codeNotInitialized: {"'spawn'"},
		codeNoDevice:       {"the reason", "docker run --gpus all"},
		codeStub:           {"the reason", "LD_LIBRARY_PATH"},
		codeSystemMismatch: {"the reason", "reboot"},
		codeSystemNotReady: {"the reason", "nvidia-fabricmanager"},
		999:                {"the reason", "nvidia-smi"},
	} {
		wants(t, noDriver(code, "the reason"), words...)
	}
	wants(t, noDriver(codeNoDevice, ""), "no GPU support", "pip install")
}

func TestOldDriversAreRefused(t *testing.T) {
	wants(t, tooOld(11040), "speaks CUDA 11.4", "525")
	wants(t, tooOld(-1), "does not say", "525")
}

func TestVisible(t *testing.T) {
	for n, want := range map[int]string{0: "none", 1: "1, cuda:0", 3: "3, cuda:0 to cuda:2"} {
		if got := visible(n); got != want {
			t.Errorf("visible(%d) = %q, expected %q", n, got, want)
		}
	}
}

func TestErrorsNameTheDevice(t *testing.T) {
	d, other := &Device{ID: 3}, &Device{ID: 1}
	failed := fault("copying", codeOutOfMemory)
	wants(t, d.named(failed), "cuda:3: copying failed")
	wants(t, other.named(d.named(failed)), "cuda:3: copying failed") // a nested call
	wants(t, d.named(errors.Join(failed, other.named(failed))), "cuda:3: copying failed", "cuda:1: copying failed")
	if !errors.Is(d.named(failed), codeOutOfMemory) || d.named(nil) != nil {
		t.Error("the error lost its cause")
	}
	if foreign := errors.New("GPU: something"); d.named(foreign) != foreign {
		t.Error("an error of another package was changed")
	}
}
