package hook

import (
	"encoding/json"
	"fmt"
	"strings"

	"gonextdoor/gonextdoor/refuse"
)

// Reads is the set of columns and tables that the compiled hooks of an app read. The others are neither filled nor built.
type Reads uint32

// The optional columns of Block, and the tables of Run.
const (
	Row Reads = 1 << iota
	Transit
	Prev
	PrevEdge
	Slot
	Size
	Key
	Words
	Sample // and Ends, Roots
	Weights
	Labels
	Times
	EdgeIDs
	Largest
	Prefix
	HasEdge
	Everything = 1<<iota - 1
)

var readsNames = strings.Fields("row transit prev prev_edge slot size key words sample weights labels times edge_ids largest prefix has_edge")

// Has reports whether the hooks read any of what.
func (r Reads) Has(what Reads) bool { return r&what != 0 }

// MarshalJSON returns the names of the columns and tables as a list.
func (r Reads) MarshalJSON() ([]byte, error) {
	names := []string{}
	for i, name := range readsNames {
		if r>>i&1 != 0 {
			names = append(names, name)
		}
	}
	return json.Marshal(names)
}

// UnmarshalJSON reads a list of names, such as ["transit", "weights"].
func (r *Reads) UnmarshalJSON(text []byte) error {
	var names []string
	if err := json.Unmarshal(text, &names); err != nil {
		return fmt.Errorf("reads: %w", err)
	}
	*r = 0
	for _, name := range names {
		bit := Reads(0)
		for i, known := range readsNames {
			if name == known {
				bit = 1 << i
			}
		}
		if bit == 0 {
			return refuse.Value("reads = %q: expected one of %s", name, strings.Join(readsNames, ", "))
		}
		*r |= bit
	}
	return nil
}
