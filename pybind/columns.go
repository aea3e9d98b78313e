package pybind

import (
	"encoding/json"

	"gonextdoor/gonextdoor/file"
)

// ChooseColumns finds the columns of the table that spec, JSON, describes, and returns them as JSON.
func ChooseColumns(spec string) (columns string, err error) {
	defer guard(&err)
	var s struct {
		Names []string    `json:"names"`
		Kinds []file.Kind `json:"kinds"`
		file.Choices
	}
	if err := json.Unmarshal([]byte(spec), &s); err != nil {
		return "", err
	}
	chosen, err := file.Choose(s.Names, s.Kinds, s.Choices)
	if err != nil {
		return "", err
	}
	text, err := json.Marshal(chosen)
	return string(text), err
}
