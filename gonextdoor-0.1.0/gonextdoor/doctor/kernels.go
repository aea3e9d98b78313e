package doctor

import (
	"strconv"
	"strings"
	"time"

	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/kernels"
)

// code returns the target whose code a GPU of compute capability sm runs, as the driver chooses it: machine code for the
// closest architecture that it is compatible with, else PTX. Returns "" if no target fits.
func code(targets []string, sm int) (best string) {
	closest := -1
	for _, target := range targets {
		kind, name, _ := strings.Cut(target, "_")
		arch, err := strconv.Atoi(strings.TrimRight(name, "af"))
		if err != nil || arch > sm {
			continue
		}
		// Machine code runs on later GPUs of the same generation. Code for sm_90a runs on compute capability 9.0 only. PTX
		// runs on all later GPUs.
		machine := kind == "sm" && arch/10 == sm/10 && (arch == sm || !strings.HasSuffix(name, "a"))
		rank := arch
		if machine {
			rank += 1 << 16
		}
		if (machine || kind == "compute") && rank > closest {
			best, closest = target, rank
		}
	}
	return best
}

// load has the driver load every kernel of this build, and returns how many seconds that took. It compiles PTX then, or
// reads what it compiled before from its cache.
func load(d *cuda.Device) (seconds float64, err error) {
	start := time.Now()
	for _, name := range kernels.Images() {
		image, err := kernels.Image(name)
		if err != nil {
			return 0, err
		}
		if _, err := d.Load(name, image); err != nil {
			return 0, err
		}
	}
	return time.Since(start).Seconds(), nil
}
