package file

import (
	"io"

	"gonextdoor/gonextdoor/file/internal/dialect"
	"gonextdoor/gonextdoor/refuse"
)

// translation determines the layout of a text in another format than columns, whose translation is read from now on.
func (o *sniffer) translation(f *dialect.Format) error {
	if f.Refusal != "" {
		return o.refuse(f.Line, []byte(f.Text), f.Refusal)
	}
	if o.options.Header == Yes {
		return refuse.Format("%s: header=True: a file of %s has no line of column names", o.path, f.Name)
	}
	// 1. The columns.
	s := o.blocks.source
	s.text = f.Translate(s.text)
	o.delimiter, o.undirected = '\t', f.Undirected
	if f.Vertices > 0 {
		o.base, o.largest, o.size = 1, uint64(f.Vertices)-1, matrixSize{vertices: f.Vertices, entries: -1, given: true}
	}
	line, err := o.peek()
	for err == nil && o.skipped(line) {
		o.pass(line)
		line, err = o.peek()
	}
	if err != nil && err != io.EOF {
		return err
	}
	if err == io.EOF && f.Vertices == 0 {
		return refuse.Format("%s: there is no edge in the file", o.path)
	}
	first := make([]string, len(f.Columns)) // of a file without edges
	if err == nil {
		if first, err = o.split(line); err != nil {
			return err
		}
	} else {
		first[0], first[1] = "1", "1"
	}
	// 2. The roles of the columns.
	if err := o.choose(line, first, f.Columns); refuse.KindOf(err) == refuse.KindValue {
		return refuse.Format("%s: %w", o.path, err)
	}
	if f.Warning != "" && o.options.Symmetric == Unsaid {
		o.warn(f.Warning)
	}
	o.said = f.Name + ": " + o.said
	return nil
}
