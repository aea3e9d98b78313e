package pybind

import (
	"encoding/json"

	"gonextdoor/gonextdoor/file"
	"gonextdoor/gonextdoor/refuse"
)

// A stream can be converted by several processes: each counts shares of it, whose counts one process merges; then each stores
// shares, then each builds parts, which the process that began the conversion accepts.

// StreamCounts writes what a stream has counted to the address, and returns the number of bytes; with address 0 only the number.
func StreamCounts(handle int64, address uintptr) (size int64, err error) {
	defer guard(&err)
	s, err := streams.get(handle)
	if err != nil {
		return 0, err
	}
	size = int64(s.counter.CountsSize())
	if address != 0 {
		s.counter.PutCounts(view[byte](address, size))
	}
	return size, nil
}

// StreamMerge adds counts that StreamCounts wrote.
func StreamMerge(handle int64, address uintptr, size int64) (known bool, err error) {
	defer guard(&err)
	s, err := streams.get(handle)
	if err != nil {
		return false, err
	}
	return true, s.counter.Merge(view[byte](address, size))
}

// StreamFolder returns the folder of a conversion, in which other processes store and build.
func StreamFolder(handle int64) (folder string, err error) {
	defer guard(&err)
	s, err := streams.get(handle)
	if err != nil {
		return "", err
	}
	if s.conversion == nil {
		return "", refuse.Value("the stream has no conversion: call StreamConvert first")
	}
	return s.conversion.Dir(), nil
}

// StreamStore prepares the second pass for a share of a stream. spec is that of StreamConvert, with the folder of the
// conversion.
func StreamStore(handle int64, spec string, share int64) (known bool, err error) {
	defer guard(&err)
	s, c, p, err := partitioned(handle, spec)
	if err == nil {
		s.share = file.NewShareWriter(c.Folder, int(share), s.counter, p, nil)
	}
	return err == nil, err
}

// StreamBuild builds a part of a stream from the shares that were stored. spec is as for StreamStore. It writes 2 uint64 to out,
// which StreamAccept takes.
func StreamBuild(handle int64, spec string, part, shares int64, out, job uintptr) (known bool, err error) {
	defer guard(&err)
	s, c, p, err := partitioned(handle, spec)
	if err != nil {
		return false, err
	}
	words, err := file.BuildPart(c.Folder, int(part), int(shares), s.counter, p, !c.IDs, jobAt(job))
	copy(view[uint64](out, 2), words[:])
	return err == nil, err
}

// StreamAccept takes a part that StreamBuild built in another process, with the 2 uint64 that it wrote.
func StreamAccept(handle, part, shares int64, words uintptr) (known bool, err error) {
	defer guard(&err)
	s, err := streams.get(handle)
	if err != nil {
		return false, err
	}
	if s.conversion == nil {
		return false, refuse.Value("the stream has no conversion: call StreamConvert first")
	}
	return true, s.conversion.Accept(int(part), int(shares), [2]uint64(view[uint64](words, 2)))
}

// partitioned returns a stream, the specification of its conversion, and the parts.
func partitioned(handle int64, spec string) (s *edgeStream, c conversionSpec, p file.Partitioning, err error) {
	if s, err = streams.get(handle); err != nil {
		return s, c, p, err
	}
	if err = json.Unmarshal([]byte(spec), &c); err == nil {
		p, err = s.partitioning(c)
	}
	return s, c, p, err
}
