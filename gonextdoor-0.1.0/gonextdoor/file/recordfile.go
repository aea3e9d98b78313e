package file

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"os"
	"path/filepath"

	"gonextdoor/gonextdoor/refuse"
)

// recordFile is a kind of JSON file that describes a folder. It is written last, so a folder without it is incomplete.
type recordFile struct {
	name    string
	format  string // the field format of each such file
	version int    // the newest that is read, and the one that is written
	limit   int64  // bytes
	content string // what the folder has
}

// read returns the path and the text of the file in a folder. It reads at most one byte more than the limit.
func (f recordFile) read(folder string) (path string, text []byte, err error) {
	path = filepath.Join(folder, f.name)
	text, err = readRegular(path, f.limit+1)
	if os.IsNotExist(err) {
		if _, err := os.Stat(folder); err != nil {
			return path, nil, err
		}
		return path, nil, refuse.Format("%s is a folder without %s, expected the folder of %s", folder, f.name, f.content)
	}
	return path, text, err
}

// readRegular returns at most the given number of bytes of a regular file.
func readRegular(path string, most int64) ([]byte, error) {
	opened, _, err := openRegular(path)
	if err != nil {
		return nil, err
	}
	defer opened.Close()
	return io.ReadAll(io.LimitReader(opened, most))
}

// decode decodes the text of a file to r.
func (f recordFile) decode(path string, text []byte, r any) error {
	if int64(len(text)) > f.limit {
		return refuse.Format("%s: longer than %d bytes, expected the record of %s", path, f.limit, f.content)
	}
	if err := json.Unmarshal(text, r); err != nil {
		return refuse.Format("%s: %w", path, err)
	}
	return nil
}

// check rejects another format, and versions that are not known.
func (f recordFile) check(path, format string, version int) error {
	switch {
	case format != f.format:
		return refuse.Format("%s: format is %q, expected %q", path, shortened([]byte(format)), f.format)
	case version < 1 || version > f.version:
		return refuse.Format("%s: version is %d, this gonextdoor reads up to %d", path, version, f.version)
	}
	return nil
}

// indented encodes a record as indented JSON.
func indented(r any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(r)
	return b.Bytes(), err
}

// sha256Text returns the SHA-256 of a text as hexadecimal digits.
func sha256Text(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}
