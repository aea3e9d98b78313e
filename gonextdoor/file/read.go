package file

import (
	"slices"
	"strings"

	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/refuse"
)

// Options say how a file is read. The zero value finds everything out.
type Options struct {
	Format    string   // "text" (SNAP), "csv", "tsv", "mtx" (Matrix Market), "folder"; "": by suffix, then by content
	Symmetric bool     // every edge is read in both directions
	Weighted  Use      // of weights; "": Auto
	Threads   int      // below 1: as many as there are processors
	Job       *job.Job // counts the bytes read of the file, then graph.EdgeWork for each edge
}

// formats are the formats by their names and by the suffixes of files.
var formats = map[string]string{
	"": "", "text": "text", "csv": "csv", "tsv": "tsv", "mtx": "mtx", "folder": "folder",
}

var suffixes = map[string]string{"csv": "csv", "tsv": "tsv", "mtx": "mtx", "mm": "mtx"}

// check completes the options.
func (o *Options) check(path string) error {
	if o.Weighted == "" {
		o.Weighted = Auto
	}
	if !slices.Contains([]Use{Auto, Required, Ignored}, o.Weighted) {
		return refuse.Value("weighted is %q, expected %q, %q or %q", o.Weighted, Auto, Required, Ignored)
	}
	if _, ok := formats[o.Format]; !ok {
		return refuse.Value("format is %q, expected one of text, csv, tsv, mtx, folder", o.Format)
	}
	if strings.IndexByte(path, 0) >= 0 {
		return refuse.Value("path %q has a NUL byte", path)
	}
	if o.Format == "" {
		o.Format = suffixes[suffix(path)]
	}
	return nil
}

// readEdges reads the text of a file.
func readEdges(path string, o Options) (*list, *layout, error) {
	s, err := openSource(path, o.Job)
	if err != nil {
		return nil, nil, err
	}
	defer s.Close()
	opened := opening{blocks: &blocks{source: s}, layout: newLayout(path), options: o}
	if err := opened.settle(o.Format); err != nil {
		return nil, nil, err
	}
	p, err := opened.parse(o.Threads)
	if err != nil {
		return nil, nil, err
	}
	defer p.Close()
	l, err := p.list(o.Threads, o.Job)
	return l, p.layout, err
}
