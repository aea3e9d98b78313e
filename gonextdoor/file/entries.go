package file

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"gonextdoor/gonextdoor/refuse"
)

// partFolders matches the folders of a partitioned graph, those that a worker has not finished too, and spillFiles the temporary
// files of a conversion. relationFolders and timesFiles match the entries of a heterogeneous graph.
var (
	relationFolders = regexp.MustCompile(`^relation-[0-9]{5}$`)
	timesFiles      = regexp.MustCompile(`^times-[0-9]{5}\.npy$`)
	partFolders     = regexp.MustCompile(`^(part-[0-9]{5}|hot)(-[0-9a-f]{16})?$`)
	spillFiles      = regexp.MustCompile(`^part-[0-9]{5}(-[0-9]{5}(-[0-9a-f]{16})?)?\` + spillSuffix + `$`)
)

// spillSuffix is the suffix of the names of spills.
const spillSuffix = ".arcs"

// unknownEntry returns the first entry of a folder, in the order of names, that belongs neither to a graph nor to a partitioned or
// heterogeneous graph, and the number of entries. It returns "" if all entries belong to one. Entries within the folders of parts
// and relations are named with the folder.
func unknownEntry(folder string) (unknown string, entries int, err error) {
	all, err := os.ReadDir(folder)
	if err != nil {
		return "", 0, err
	}
	for _, e := range all {
		switch {
		case e.IsDir() && relationFolders.MatchString(e.Name()):
			within, _, err := unknownEntry(filepath.Join(folder, e.Name()))
			if err != nil {
				return "", 0, err
			}
			if within != "" {
				return filepath.Join(e.Name(), within), len(all), nil
			}
		case !e.IsDir() && (e.Name() == heteroName || timesFiles.MatchString(e.Name())):
		case e.IsDir() && partFolders.MatchString(e.Name()):
			within, err := os.ReadDir(filepath.Join(folder, e.Name()))
			if err != nil {
				return "", 0, err
			}
			for _, f := range within {
				if !knownFile(f, recordName, arrays) {
					return filepath.Join(e.Name(), f.Name()), len(all), nil
				}
			}
		case spillFiles.MatchString(e.Name()):
		case !knownFile(e, recordName, arrays) && !knownFile(e, partitionName, partitionArrays):
			return e.Name(), len(all), nil
		}
	}
	return "", len(all), nil
}

// knownFile reports whether an entry is a file with the name of a record or of an array in a table.
func knownFile(e os.DirEntry, record string, table []array) bool {
	name, isArray := strings.CutSuffix(e.Name(), ".npy")
	listed := isArray && slices.ContainsFunc(table, func(a array) bool { return a.name == name })
	return !e.IsDir() && (listed || e.Name() == record)
}

// CheckRecord rejects the text of a record that is damaged or contradicts itself, before what it describes is read. name is
// that of the file within its folder, path its place for errors.
func CheckRecord(name, path, text string) (err error) {
	switch name {
	case recordName:
		_, err = parseRecord(path, []byte(text))
	case partitionName:
		_, err = parsePartitionRecord(path, []byte(text))
	case heteroName:
		_, err = parseHeteroRecord(path, []byte(text))
	default:
		err = refuse.Value("name = %q: expected the name of a record", name)
	}
	return err
}
