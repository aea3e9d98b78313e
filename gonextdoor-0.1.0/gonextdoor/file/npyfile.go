package file

import (
	"hash/crc32"
	"os"
	"path/filepath"

	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/job"
)

// npyFile writes a .npy file whose length is known only at the end. It is used by one goroutine.
type npyFile struct {
	*array
	file  *os.File
	bytes int64  // of data written so far
	sum   uint32 // CRC-32C of them
	job   *job.Job
}

// createNpy creates the file of an array, with zeros in place of the header.
func createNpy(folder string, a *array, j *job.Job) (*npyFile, error) {
	f, err := os.OpenFile(filepath.Join(folder, a.name+".npy"), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o666)
	if err != nil {
		return nil, err
	}
	if _, err := f.Write(make([]byte, npyHeader)); err != nil {
		f.Close()
		return nil, err
	}
	return &npyFile{array: a, file: f, job: j}, nil
}

// Write appends bytes of the array. It checks the job every 4 MB and adds the bytes to it.
func (w *npyFile) Write(b []byte) error {
	for len(b) > 0 {
		if err := w.job.Err(); err != nil {
			return err
		}
		piece := b[:min(len(b), 4<<20)]
		w.sum = crc32.Update(w.sum, graph.Castagnoli, piece)
		if _, err := w.file.Write(piece); err != nil {
			return err
		}
		w.bytes += int64(len(piece))
		w.job.Add(int64(len(piece)))
		b = b[len(piece):]
	}
	return nil
}

// Finish writes the header, syncs the file to disk, closes it, and returns the entry of the array for the record.
func (w *npyFile) Finish() (stored, error) {
	length := w.bytes / w.width
	head, err := npyHead(w.code, int(length))
	if err == nil {
		_, err = w.file.WriteAt(head, 0)
	}
	if err == nil {
		err = w.file.Sync()
	}
	if closed := w.file.Close(); err == nil {
		err = closed
	}
	return stored{"<" + w.code, []int64{length}, checksumText(w.sum)}, err
}
