package file

import (
	"slices"
	"strings"

	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/refuse"
)

// Answer is a caller's answer to a question about a file: yes, no, or undecided.
type Answer string

// The answers. With Unsaid the content of the file decides.
const (
	Unsaid Answer = ""
	Yes    Answer = "yes"
	No     Answer = "no"
)

// IDs is how ids are read: as integers or as text.
type IDs string

// The ways to read ids. With "", they are integers if those of the first lines are, and fit in 64 bits.
const (
	TextIDs    IDs = "text"
	IntegerIDs IDs = "int"
)

// Options control how a file is read. The zero value detects everything.
type Options struct {
	Format    string   // "text" (SNAP), "csv", "tsv", "mtx" (Matrix Market), "folder"; "": by suffix, then by content
	Columns   Choices  // the columns of sources, targets and attributes
	IDs       IDs      // "text", "int"; "": the first lines decide
	Header    Answer   // whether the first line names the columns
	Symmetric Answer   // whether to read every edge in both directions; Unsaid: if the file declares itself undirected
	Bipartite Answer   // whether sources and targets are different vertices; Unsaid: if the column names or a comment indicate it, and ids are in both
	Threads   int      // below 1: one per CPU
	Job       *job.Job // counts the bytes of the file, then build.EdgeWork per edge
	Report    *Report  // if not nil, receives the decisions
}

// Report describes the decisions that were taken while a file was read.
type Report struct {
	Source   string   `json:"source"`   // the file, its columns, header and direction
	Warnings []string `json:"warnings"` // decisions that a user may not expect
}

// formats maps the names of formats to themselves; suffixes maps the extensions of files to formats.
var formats = map[string]string{
	"": "", "text": "text", "csv": "csv", "tsv": "tsv", "mtx": "mtx", "dimacs": "dimacs", "metis": "metis", "folder": "folder",
}

var suffixes = map[string]string{"csv": "csv", "tsv": "tsv", "mtx": "mtx", "mm": "mtx"}

// check validates the options, detects the format from the path if none is given, and clears the report.
func (o *Options) check(path string) error {
	for _, c := range []struct {
		name   string
		answer Answer
	}{{"header", o.Header}, {"symmetric", o.Symmetric}, {"bipartite", o.Bipartite}} {
		if !slices.Contains([]Answer{Unsaid, Yes, No}, c.answer) {
			return refuse.Value("%s is %q, expected %q, %q or %q", c.name, c.answer, Unsaid, Yes, No)
		}
	}
	if !slices.Contains([]IDs{"", TextIDs, IntegerIDs}, o.IDs) {
		return refuse.Value("ids is %q, expected %q or %q", o.IDs, TextIDs, IntegerIDs)
	}
	if _, ok := formats[o.Format]; !ok {
		return refuse.Value("format is %q, expected one of text, csv, tsv, mtx, dimacs, metis, folder", o.Format)
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
