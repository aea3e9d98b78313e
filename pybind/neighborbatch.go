package pybind

import (
	"encoding/json"
	"strings"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/engine/neighborbatch"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/refuse"
)

// hetero is the JSON of NewHetero's arguments. Times stay the caller's memory, which must live as long as the object.
type hetero struct {
	Types     []string `json:"types"` // nil: one, without a name
	Counts    []int    `json:"counts"`
	Times     []array  `json:"times"` // by type, int64, of length 0 where there are none; nil: none at all
	Relations []struct {
		Graph       int64  `json:"graph"`
		Destination int    `json:"destination"`
		Source      int    `json:"source"`
		Name        string `json:"name"`
	} `json:"relations"`
}

// NewHetero makes the graph of several types that spec, JSON, describes, from graphs, which must outlive it.
func NewHetero(spec string, job uintptr) (handle int64, err error) {
	defer guard(&err)
	var s hetero
	if err := json.Unmarshal([]byte(spec), &s); err != nil {
		return 0, err
	}
	h := &graph.Hetero{Counts: s.Counts, Types: s.Types}
	for _, a := range s.Times {
		h.Times = append(h.Times, view[int64](a.Address, int64(a.Length)))
	}
	for _, r := range s.Relations {
		g, err := graphs.get(r.Graph)
		if err != nil {
			return 0, err
		}
		h.Relations = append(h.Relations, graph.Relation{Graph: g, Destination: r.Destination, Source: r.Source, Name: r.Name})
	}
	if err := h.Check(graph.Options{Job: watched(job)}); err != nil {
		return 0, err
	}
	return neighborSamplers.add(neighborbatch.New(h)), nil
}

// DropHetero ends a graph of several types; its graphs stay.
func DropHetero(handle int64) (known bool, err error) {
	defer guard(&err)
	b, known := neighborSamplers.drop(handle)
	if known {
		b.Close()
	}
	return known, nil
}

// SampleNeighbors draws the mini-batches that the record at an address requests, on the CPU. See neighborbatch.Request.
func SampleNeighbors(hetero int64, sampling int64, record uintptr, job uintptr) (known bool, err error) {
	defer guard(&err)
	s, err := neighborSamplers.get(hetero)
	if err != nil {
		return false, err
	}
	m, err := neighborSamplings.get(sampling)
	if err != nil {
		return false, err
	}
	return true, s.Call(m, pointer(record), watched(job))
}

// NewNeighborSampling returns a handle of the parameters of neighbour sampling, from JSON.
func NewNeighborSampling(params string) (handle int64, err error) {
	defer guard(&err)
	a := new(app.NeighborSampling)
	d := json.NewDecoder(strings.NewReader(params))
	d.DisallowUnknownFields()
	if err := d.Decode(a); err != nil {
		return 0, refuse.Type("parameters %s: %w", params, err)
	}
	if err := a.Check(); err != nil {
		return 0, err
	}
	return neighborSamplings.add(a), nil
}

// DropNeighborSampling forgets the parameters.
func DropNeighborSampling(handle int64) (known bool, err error) {
	defer guard(&err)
	_, known = neighborSamplings.drop(handle)
	return known, nil
}
