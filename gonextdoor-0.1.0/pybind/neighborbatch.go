package pybind

import (
	"encoding/json"
	"strings"

	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/engine/neighborbatch"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/refuse"
)

// hetero is the JSON of NewHetero's arguments. Times are not copied: the caller keeps their memory as long as the object.
type hetero struct {
	Types     []string `json:"types"`  // names; nil: one type without a name
	Counts    []int    `json:"counts"` // vertices by type
	Times     []array  `json:"times"`  // by type, int64; without a dtype for a type without times; nil: no type has times
	Relations []struct {
		Graph       int64  `json:"graph"`
		Destination int    `json:"destination"`
		Source      int    `json:"source"`
		Name        string `json:"name"`
	} `json:"relations"`
}

// graph returns the types and relations, without the graphs.
func (s *hetero) graph() *graph.Hetero {
	h := &graph.Hetero{Counts: s.Counts, Types: s.Types}
	for _, a := range s.Times {
		times := view[int64](a.Address, int64(a.Length))
		if times == nil && a.Dtype != "" { // the times of no vertices
			times = []int64{}
		}
		h.Times = append(h.Times, times)
	}
	for _, r := range s.Relations {
		h.Relations = append(h.Relations, graph.Relation{Destination: r.Destination, Source: r.Source, Name: r.Name})
	}
	return h
}

// NewHetero returns a handle of a sampler for a heterogeneous graph. spec has the types and relations as JSON. The graphs of
// the relations must not be dropped before it.
func NewHetero(spec string, job uintptr) (handle int64, err error) {
	defer guard(&err)
	var s hetero
	if err := json.Unmarshal([]byte(spec), &s); err != nil {
		return 0, err
	}
	h := s.graph()
	for i, r := range s.Relations {
		if h.Relations[i].Graph, err = graphs.get(r.Graph); err != nil {
			return 0, err
		}
	}
	if err := h.Check(graph.Options{Job: jobAt(job)}); err != nil {
		return 0, err
	}
	return neighborSamplers.add(neighborbatch.New(h)), nil
}

// DropHetero closes the sampler of a heterogeneous graph. The graphs of its relations stay.
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
	return true, s.Call(m, pointer(record), jobAt(job))
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

// DropNeighborSampling removes the parameters of neighbour sampling.
func DropNeighborSampling(handle int64) (known bool, err error) {
	defer guard(&err)
	_, known = neighborSamplings.drop(handle)
	return known, nil
}
