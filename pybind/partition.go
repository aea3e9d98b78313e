package pybind

import (
	"encoding/json"

	"gonextdoor/gonextdoor/file"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/owner"
	"gonextdoor/gonextdoor/refuse"
)

// PartitionOwners writes the part of each vertex of a graph, a uint16, to out. by is "ranges", "hash" or "ldg". The job counts
// vertices.
func PartitionOwners(handle int64, parts int64, by string, out uintptr, job uintptr) (n int64, err error) {
	defer guard(&err)
	g, err := graphs.get(handle)
	if err != nil {
		return 0, err
	}
	m, err := ownersBy(g, int(parts), by, graph.Options{Job: jobAt(job)})
	if err != nil {
		return 0, err
	}
	owners := view[uint16](out, int64(g.NumVertices()))
	for v := range owners {
		owners[v] = uint16(m.Owner(uint32(v)))
	}
	return int64(len(owners)), nil
}

// ownersBy assigns the vertices of a graph.
func ownersBy(g *graph.Graph, parts int, by string, opts graph.Options) (m *owner.Map, err error) {
	if err := owner.CheckParts(parts); err != nil {
		return nil, err
	}
	if err := g.ValidateWith(opts); err != nil {
		return nil, err
	}
	err = readMapped(g, func() (err error) {
		switch by {
		case "ranges":
			m = owner.Ranges(g, parts)
		case "hash":
			m = owner.Hash(g.NumVertices(), parts)
		case "ldg":
			m, err = owner.LDG(g, parts, opts)
		default:
			err = refuse.Value("by = %q: expected \"ranges\", \"hash\" or \"ldg\"", by)
		}
		return err
	})
	return m, err
}

// PartitionWrite writes a graph to the folder of a partitioned graph, with or without the ids of its edges. spec is that of
// partitioning. The job counts bytes.
func PartitionWrite(handle int64, folder string, spec string, ids bool, job uintptr) (known bool, err error) {
	defer guard(&err)
	g, err := graphToWrite(handle, ids, jobAt(job))
	if err != nil {
		return false, err
	}
	defer g.Close()
	p, err := partitioning(g, spec, graph.Options{Job: jobAt(job)})
	if err != nil {
		return false, err
	}
	return true, file.WritePartition(g, folder, p, jobAt(job))
}

// partitioning reads how a graph is divided into parts. spec has the number of parts, how the vertices are assigned, or the
// owners as an array of uint16, the share of the edges in hot rows, and whether parts get alias tables, as JSON.
func partitioning(g *graph.Graph, spec string, opts graph.Options) (p file.Partitioning, err error) {
	var s struct {
		Parts  int     `json:"parts"`
		By     string  `json:"by"`
		Owners array   `json:"owners"`
		Hot    float64 `json:"hot"`
		Alias  bool    `json:"alias_tables"`
	}
	if err := json.Unmarshal([]byte(spec), &s); err != nil {
		return p, err
	}
	if s.Alias && !g.Weighted() {
		return p, refuse.Value("alias_tables = True: the graph has no weights; leave it out")
	}
	p.By, p.Alias = s.By, s.Alias
	if s.Owners.Dtype != "" {
		p.Owner, err = ownersIn(s.Owners, s.Parts)
	} else {
		p.Owner, err = ownersBy(g, s.Parts, s.By, opts)
	}
	if err != nil {
		return p, err
	}
	return p, readMapped(g, func() (err error) {
		p.Hot, err = owner.Hot(g, s.Hot)
		return err
	})
}

// ownersIn copies an array of owners.
func ownersIn(a array, parts int) (*owner.Map, error) {
	if err := owner.CheckParts(parts); err != nil {
		return nil, err
	}
	owners, err := graph.Elements[uint16](a.array())
	if err != nil {
		return nil, err
	}
	m := owner.NewMap(len(owners), parts)
	for v, part := range owners {
		if int(part) >= parts {
			return nil, refuse.Value("owner[%d] = %d: expected a part below %d", v, part, parts)
		}
		m.Set(uint32(v), int(part))
	}
	return m, nil
}
