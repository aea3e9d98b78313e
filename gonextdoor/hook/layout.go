package hook

import (
	"encoding/json"
	"reflect"
)

// Layout gives, as JSON, all that a compiler of hooks must agree with: the offsets of Run's and Block's fields and their
// sizes, the bounds, what can be read, and the faults.
func Layout() string {
	type fault struct {
		Class string `json:"class"`
		Text  string `json:"text"`
	}
	faults := map[Kind]fault{}
	for kind, f := range Faults {
		faults[kind] = fault{string(f.Class), f.Text}
	}
	text, err := json.Marshal(map[string]any{
		"run": offsets(Run{}), "block": offsets(Block{}), "array": offsets(Array{}), "max_params": MaxParams,
		"max_arrays": MaxArrays, "max_steps": MaxSteps, "max_fanout": MaxFanout, "max_rounds": maxRounds,
		"reads": Reads(Everything), "faults": faults, "no_fault": uint64(NoFault), "callable": Callable,
	})
	if err != nil {
		panic(err) // of plain numbers and texts
	}
	return string(text)
}

// offsets gives where each field of a struct begins, and the whole size under "".
func offsets(of any) map[string]uintptr {
	t := reflect.TypeOf(of)
	at := map[string]uintptr{"": t.Size()}
	for i := range t.NumField() {
		at[t.Field(i).Name] = t.Field(i).Offset
	}
	return at
}
