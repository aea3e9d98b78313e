package file

import (
	"slices"
	"strings"

	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/refuse"
)

// Answer is yes, no or neither.
type Answer string

// The answers. Unsaid leaves the question to the file.
const (
	Unsaid Answer = ""
	Yes    Answer = "yes"
	No     Answer = "no"
)

// Options say how a file is read. The zero value finds everything out.
type Options struct {
	Format    string   // "text" (SNAP), "csv", "tsv", "mtx" (Matrix Market), "folder"; "": by suffix, then by content
	Columns   Choices  // which column holds what
	Header    Answer   // whether the first line names the columns
	Symmetric Answer   // whether to read every edge in both directions; Unsaid: if the file declares itself undirected
	Threads   int      // below 1: as many as there are processors
	Job       *job.Job // counts the bytes read of the file, then build.EdgeWork for each edge
	Report    *Report  // if not nil, receives what was decided
}

// Report is what was decided while a file was read.
type Report struct {
	Source   string   `json:"source"`   // the file, its columns, header and direction
	Warnings []string `json:"warnings"` // what a user may not expect
}

// formats are the formats by their names and by the suffixes of files.
var formats = map[string]string{
	"": "", "text": "text", "csv": "csv", "tsv": "tsv", "mtx": "mtx", "folder": "folder",
}

var suffixes = map[string]string{"csv": "csv", "tsv": "tsv", "mtx": "mtx", "mm": "mtx"}

// check completes the options.
func (o *Options) check(path string) error {
	for _, c := range []struct {
		name   string
		answer Answer
	}{{"header", o.Header}, {"symmetric", o.Symmetric}} {
		if !slices.Contains([]Answer{Unsaid, Yes, No}, c.answer) {
			return refuse.Value("%s is %q, expected %q, %q or %q", c.name, c.answer, Unsaid, Yes, No)
		}
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
	if o.Report == nil {
		o.Report = &Report{}
	}
	*o.Report = Report{Warnings: []string{}}
	if o.Header == No {
		for _, r := range o.Columns.all() {
			if r.choice.Name != nil {
				return refuse.Value("%s=%q: with header=False columns have no names; choose it by its number, from 0", r.role, *r.choice.Name)
			}
		}
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
