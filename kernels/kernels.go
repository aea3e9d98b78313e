// Package kernels embeds the GPU code: its source text, and the images that build_backend/nvrtc.py compiles.
//
// It is internal to this module; it is beside the kernel sources because go:embed cannot read a parent folder.
package kernels

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"sync"

	"gonextdoor/gonextdoor/refuse"
	"gonextdoor/kernels/entry"
)

//go:embed app/*.cuh core/*.cuh driver/*.cuh graph/*.cuh result/*.cuh selector/*.cuh
var text embed.FS

//go:embed bin
var compiled embed.FS

// FewFanouts are the fan-outs for which trees without replacement and without weights have a kernel each.
var FewFanouts = entry.FewFanouts

// Image returns the fatbin of entries/NAME.cu: machine code for some architectures, and PTX. The caller must not change
// it.
//
// Errors: DeviceError if this build has none.
func Image(name string) ([]byte, error) {
	image, err := compiled.ReadFile("bin/" + name + ".fatbin")
	if err != nil {
		return nil, refuse.Device("GPU: this build of gonextdoor holds no compiled kernels %q: see docs/building.md", name)
	}
	return image, nil
}

// Images returns the names of all images of this build.
func Images() (names []string) {
	files, err := compiled.ReadDir("bin")
	if err != nil {
		return nil
	}
	for _, f := range files {
		if name, ok := strings.CutSuffix(f.Name(), ".fatbin"); ok {
			names = append(names, name)
		}
	}
	return names
}

// Targets returns the targets of the images: sm_90 is machine code for one architecture, compute_70 is PTX, which the
// driver compiles for others.
func Targets() []string {
	list, err := compiled.ReadFile("bin/targets.txt")
	if err != nil {
		return nil
	}
	return strings.Fields(string(list))
}

// Sources returns the text of every .cuh file by its path in #include, for code that is compiled at run time.
var Sources = sync.OnceValue(func() map[string]string {
	all := map[string]string{}
	_ = fs.WalkDir(text, ".", func(path string, d fs.DirEntry, err error) error { // embedded files can always be read
		if err == nil && !d.IsDir() {
			b, _ := text.ReadFile(path)
			all[path] = string(b)
		}
		return nil
	})
	return all
})

// Digest returns a hash of Sources and of the forms of hooks, in hexadecimal. Caches of compiled hooks are keyed by it.
var Digest = sync.OnceValue(func() string {
	h := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(Sources())) {
		h.Write([]byte(name + "\x00" + Sources()[name] + "\x00"))
	}
	fmt.Fprint(h, entry.Hooks()) // in the order of their names
	return hex.EncodeToString(h.Sum(nil))
})
