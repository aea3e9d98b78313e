package file

import (
	"fmt"
	"path/filepath"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/graph/build"
	"gonextdoor/gonextdoor/graph/owner"
	"gonextdoor/gonextdoor/job"
)

// division stores the arcs of a stream on disk by parts, and builds the rows of a part from them. The number of the hot rows is
// that of the parts.
type division struct {
	NoEdgeIDs bool // whether the folder has no ids of edges; set before rows are built

	counter *build.RowCounter
	owner   *owner.Map
	hot     []uint32
	spills  []spill  // per part, and of the hot rows
	rows    []uint32 // the row of each vertex in its part; nil: ranges
	hotRows map[uint32]uint32
	job     *job.Job
}

// divide prepares the spills, which are files of a folder. mark is a part of their names.
func divide(c *build.RowCounter, p Partitioning, dir, mark string, j *job.Job) division {
	n := p.Owner.Parts() + 1
	d := division{counter: c, owner: p.Owner, hot: p.Hot, spills: make([]spill, n), hotRows: make(map[uint32]uint32, len(p.Hot)), job: j}
	for i := range d.spills {
		d.spills[i] = spill{path: filepath.Join(dir, spillName(i, mark)), limit: max(64, spillArcs/n)}
	}
	if p.Owner.Bounds == nil {
		d.rows = make([]uint32, p.Owner.NumVertices())
		next := make([]uint32, p.Owner.Parts())
		for v := range d.rows {
			part := p.Owner.Owner(uint32(v))
			d.rows[v] = next[part]
			next[part]++
		}
	}
	for i, v := range p.Hot {
		d.hotRows[v] = uint32(i)
	}
	return d
}

// spillName returns the name of the spill of a part.
func spillName(part int, mark string) string {
	return fmt.Sprintf("part-%05d%s%s", part, mark, spillSuffix)
}

// store stores the arcs of a block.
func (d *division) store(b build.EdgeBlock) error {
	return d.counter.EachArc(b, func(l *build.ArcList) error {
		if err := d.job.Err(); err != nil {
			return err
		}
		for i, v := range l.Rows {
			part := d.owner.Owner(v)
			row := v
			if d.rows != nil {
				row = d.rows[v]
			} else {
				row -= d.owner.Bounds[part]
			}
			if err := d.spills[part].Add(l, i, row); err != nil {
				return err
			}
			if hot, is := d.hotRows[v]; is {
				if err := d.spills[len(d.spills)-1].Add(l, i, hot); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// vertices returns the vertices whose rows a part has, in their order; never nil.
func (d *division) vertices(part int) []uint32 {
	if part == d.owner.Parts() {
		return d.hot
	}
	if of := d.owner.Vertices(part); of != nil {
		return of
	}
	return []uint32{} // nil means all
}

// build builds the rows of a part from its arcs in the order of the stream, which each passes to a function.
func (d *division) build(part int, each func(func(*build.ArcList) error) error) (*graph.Graph, error) {
	p, err := build.NewRowPlacer(d.counter, d.vertices(part))
	if err != nil {
		return nil, err
	}
	if err := each(p.Place); err != nil {
		p.Free()
		return nil, err
	}
	rows, err := p.Finish(true, 0, d.job)
	if err == nil && d.NoEdgeIDs {
		rows.EdgeIDs, rows.EdgeIDs64, rows.NoEdgeIDs = nil, nil, true
	}
	return rows, err
}
