package partition

import (
	"gonextdoor/gonextdoor/file"
	"gonextdoor/gonextdoor/graph"
)

// OpenLayout opens the folder of a partitioned graph without its parts. The caller closes the file.Partition after the layout.
func OpenLayout(folder string) (*Layout, *file.Partition, error) {
	p, err := file.OpenPartition(folder)
	if err != nil {
		return nil, nil, err
	}
	return &Layout{
		Owners: p.Owner, Degrees: p.Degrees,
		Whole: WholeGraph{
			Vertices: int(p.Vertices), Edges: int(p.Edges), MaxDegree: p.MaxDegree, HasSinks: p.Sinks,
			Weighted: p.Weighted, Labelled: p.Labelled, Timed: p.Timed, Symmetric: p.Symmetric,
			MaxScale: p.MaxScale, TimeSpan: p.TimeSpan, MeanGap: p.MeanGap, TimeUnit: p.TimeUnit,
		},
	}, p, nil
}

// Open opens one part of the folder of a partitioned graph: it maps the rows of the part and the hot rows, and validates them.
// It does not read the other parts. The caller closes the part.
func Open(folder string, part int, opts graph.Options) (p *Part, err error) {
	layout, opened, err := OpenLayout(folder)
	if err != nil {
		return nil, err
	}
	closers := []func(){opened.Close}
	defer func() {
		if err != nil {
			for _, f := range closers {
				f()
			}
		}
	}()
	rows, err := opened.Part(part)
	if err != nil {
		return nil, err
	}
	closers = append([]func(){rows.Close}, closers...)
	vertices, hot, err := opened.Hot()
	if err != nil {
		return nil, err
	}
	if hot != nil {
		closers = append([]func(){hot.Close}, closers...)
		if err := hot.ValidateWith(opts); err != nil {
			return nil, err
		}
	}
	if err := rows.ValidateWith(opts); err != nil {
		return nil, err
	}
	layout.Hot = vertices
	if p, err = NewPart(layout, part, rows, hot); err != nil {
		return nil, err
	}
	p.closers = closers
	return p, nil
}
