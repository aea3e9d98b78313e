package pybind

import (
	"encoding/json"

	"gonextdoor/gonextdoor/file"
)

// ChooseColumns decides which columns of a table have the sources, targets and attributes of edges. spec has the names and
// kinds of the columns and the caller's choices as JSON. It returns the decision as JSON.
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
