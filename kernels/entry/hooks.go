package entry

import "sync"

// Form is a kernel that calls users' hooks. NVRTC compiles it with them at run time.
type Form struct {
	Kernel   `json:"-"`
	Includes []string `json:"includes"` // of the unit, before the hooks
	Body     string   `json:"kernel"`   // the definition, with {rows} for the layout of rows, and {program} for that of driver/growing.cuh
}

// Hooks returns the forms by their names, see package engine/gpu. The struct of the hooks is Hooks.
var Hooks = sync.OnceValue(func() map[string]Form {
	forms := map[string]Form{}
	add := func(name, parameter, call string, threads int, includes ...string) {
		k := Kernel{"hooks", parameter, call, threads}
		forms[name] = Form{k, append([]string{"app/hookruntime.cuh", "driver/hooked.cuh", "graph/packed.cuh"}, includes...), k.text()}
	}
	add("next", "Hooked", "hooked<{rows}, Hooks, ByNext<Hooks>>(a)", 256)
	add("uniform", "Hooked", "hooked<{rows}, Hooks, ByTable<Uniform<{rows}>>>(a)", 256, "selector/uniform.cuh")
	add("alias", "Hooked", "hooked<{rows}, Hooks, ByTable<Alias<{rows}>>>(a)", 256, "selector/alias.cuh")
	add("bias", "Hooked", "hooked<{rows}, Hooks, ByBias<{rows}, Hooks>>(a)", 256)
	add("timed", "Hooked", "hooked<{rows}, Hooks, ByBias<{rows}, Hooks, InTime<{rows}>>>(a)", 256)
	add("computed", "Hooked", "computed<{rows}>(a.w, HookRule<{rows}, Hooks>(a))", 128, "driver/computed.cuh")
	add("warp", "HookedSample", "hooked_samples<Warp, {rows}, Hooks, {program}>(a)", 256, "driver/hookedsample.cuh")
	add("block", "HookedSample", "hooked_samples<LayeredBlock, {rows}, Hooks, {program}>(a)", 256, "driver/hookedsample.cuh")
	return forms
})
