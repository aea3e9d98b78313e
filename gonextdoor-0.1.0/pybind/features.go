package pybind

import (
	"encoding/json"
	"time"

	"gonextdoor/gonextdoor"
	"gonextdoor/gonextdoor/feature"
	"gonextdoor/pybind/record"
)

// FeaturesOpen returns a store of count parts, an array of record.FeaturePart, with rows of rowBytes bytes. names has the names
// of the parts' files as JSON, for errors. The memory and the files of the parts must outlive the store.
func FeaturesOpen(parts uintptr, count int64, rowBytes int64, names string) (handle int64, err error) {
	defer guard(&err)
	var files []string
	if err := json.Unmarshal([]byte(names), &files); err != nil {
		return 0, err
	}
	made := make([]feature.Part, count)
	for i, p := range view[record.FeaturePart](parts, count) {
		made[i] = feature.Part{
			Rows: p.Rows, Address: pointer(uintptr(p.Address)), Stride: p.Stride, Writeable: p.Writeable != 0,
			File: int(p.File), Offset: p.Offset, Name: files[i],
		}
	}
	s, err := gonextdoor.Features(made, rowBytes)
	if err != nil {
		return 0, err
	}
	return features.add(s), nil
}

// DropFeatures releases a store. Reads that have begun continue.
func DropFeatures(handle int64) (known bool, err error) {
	defer guard(&err)
	_, known = features.drop(handle)
	return known, nil
}

// featureRequest returns the store of a handle and the request of a record.FeatureCall.
func featureRequest(handle int64, call uintptr) (feature.Store, feature.Request, error) {
	s, err := features.get(handle)
	if err != nil {
		return nil, feature.Request{}, err
	}
	c := *at[record.FeatureCall](call)
	return s, feature.Request{
		IDs:     feature.IDs{Address: pointer(uintptr(c.IDs)), Count: c.Rows, Kind: c.Kind},
		Values:  feature.Bytes(pointer(uintptr(c.Values)), c.Rows, s.RowBytes()),
		Threads: int(c.Threads),
	}, nil
}

// FeaturesRead copies rows of a store to the values of a record.FeatureCall.
func FeaturesRead(handle int64, call uintptr, job uintptr) (rows int64, err error) {
	defer guard(&err)
	s, q, err := featureRequest(handle, call)
	if err != nil {
		return 0, err
	}
	q.Job = jobAt(job)
	return q.IDs.Count, s.Read(q)
}

// FeaturesUpdate copies the values of a record.FeatureCall to rows of a store.
func FeaturesUpdate(handle int64, call uintptr, job uintptr) (rows int64, err error) {
	defer guard(&err)
	s, q, err := featureRequest(handle, call)
	if err != nil {
		return 0, err
	}
	q.Job = jobAt(job)
	return q.IDs.Count, gonextdoor.UpdateFeatures(s, q)
}

// FeaturesStart begins a FeaturesRead in the background and returns its handle. The memory of the values must be kept until
// the read is done or dropped.
func FeaturesStart(handle int64, call uintptr) (read int64, err error) {
	defer guard(&err)
	s, q, err := featureRequest(handle, call)
	if err != nil {
		return 0, err
	}
	p, err := feature.Start(s, q)
	if err != nil {
		return 0, err
	}
	return featureReads.add(p), nil
}

// FeaturesWait waits at most the given time for a read, without limit if it is negative. It returns whether the read is done,
// or its error.
func FeaturesWait(read int64, milliseconds int64) (done bool, err error) {
	defer guard(&err)
	p, err := featureReads.get(read)
	if err != nil {
		return false, err
	}
	return p.Wait(time.Duration(milliseconds) * time.Millisecond)
}

// DropFeaturesRead stops a read that is not done, waits for its end and releases it.
func DropFeaturesRead(read int64) (known bool, err error) {
	defer guard(&err)
	p, known := featureReads.drop(read)
	if known {
		err = p.Stop()
	}
	return known, err
}

// FeaturesCounts writes a record.FeatureCounts to out.
func FeaturesCounts(handle int64, out uintptr) (known bool, err error) {
	defer guard(&err)
	s, err := features.get(handle)
	if err != nil {
		return false, err
	}
	*at[record.FeatureCounts](out) = featureCounts(s.Counts())
	return true, nil
}

// featureCounts returns the record of counts.
func featureCounts(c feature.Counts) record.FeatureCounts {
	return record.FeatureCounts{Reads: c.Reads, DeviceRows: c.DeviceRows, HostRows: c.HostRows, FileRows: c.FileRows, KernelRows: c.KernelRows}
}
