package graph

import (
	"encoding/json"
	"unsafe"

	"gonextdoor/gonextdoor/refuse"
)

// UnmarshalJSON reads {"address": 140230, "length": 5, "dtype": "uint32"}: an array of a caller outside Go, who keeps it
// alive as long as it is used.
func (a *Array) UnmarshalJSON(text []byte) error {
	var given struct {
		Address uintptr `json:"address"`
		Length  int     `json:"length"`
		Dtype   string  `json:"dtype"`
	}
	if err := json.Unmarshal(text, &given); err != nil {
		return err
	}
	*a = Array{*(*unsafe.Pointer)(unsafe.Pointer(&given.Address)), given.Length, given.Dtype} // vet takes a conversion for arithmetic
	return nil
}

// Elements sees an array of one dtype as a slice.
func Elements[T number](a Array) ([]T, error) {
	if a.Dtype != dtypeOf[T]() || a.Len < 0 {
		return nil, refuse.Type("an array of %d %s: expected %s", a.Len, a.Dtype, dtypeOf[T]())
	}
	return view[T](a), nil
}
