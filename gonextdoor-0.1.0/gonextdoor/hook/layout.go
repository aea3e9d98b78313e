package hook

import (
	"encoding/json"
	"reflect"
)

// Layout returns, as JSON, the description that a compiler of hooks needs: the sizes of Run, Block and Array, the offsets of
// their fields, the limits, the names of Reads, and the faults.
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
		panic(err) // impossible: there are numbers and strings only
	}
	return string(text)
}

// offsets returns the offset of each field of a struct by its name, and the size of the struct under "".
func offsets(of any) map[string]uintptr {
	t := reflect.TypeOf(of)
	at := map[string]uintptr{"": t.Size()}
	for i := range t.NumField() {
		at[t.Field(i).Name] = t.Field(i).Offset
	}
	return at
}
