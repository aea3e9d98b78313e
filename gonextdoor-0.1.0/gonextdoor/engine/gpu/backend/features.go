package backend

import (
	"unsafe"

	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/dlpack"
	"gonextdoor/gonextdoor/engine"
	"gonextdoor/gonextdoor/engine/gpu/features"
	"gonextdoor/gonextdoor/engine/gpu/transfer"
	"gonextdoor/gonextdoor/job"
)

// featureStore is features that are read to a GPU.
type featureStore struct{ *features.Store }

var _ engine.DeviceFeatures = featureStore{}

// OpenFeatures is features.Open.
func (d device) OpenFeatures(rows engine.FeatureRows, o engine.FeatureOptions, j *job.Job) (engine.DeviceFeatures, error) {
	s, err := features.Open(d.Device, rows, o, j)
	if err != nil {
		return nil, err
	}
	return featureStore{s}, nil
}

// ShareFeatures is features.NewShared.
func (CUDA) ShareFeatures(ids []int, bytes, hot int64) (engine.FeatureMemory, error) {
	all := make([]*cuda.Device, len(ids))
	for i, id := range ids {
		d, err := cuda.Open(id)
		if err != nil {
			return nil, err
		}
		all[i] = d
	}
	m, err := features.NewShared(all, bytes, hot)
	if err != nil {
		return nil, err
	}
	return m, nil
}

// FeatureMemory is features.Memory.
func (d device) FeatureMemory() (int64, error) { return features.Memory(d.Device) }

// Read begins to read rows of several stores.
func (featureStore) Read(all []engine.DeviceFeatures, ids []engine.FeatureIDs, to []engine.FeatureTarget, j *job.Job) ([]engine.DeviceRows, error) {
	requests := make([]features.Request, len(all))
	for i, one := range all {
		requests[i] = features.Request{Store: one.(featureStore).Store, IDs: ids[i]}
		if to != nil {
			requests[i].To = to[i]
		}
	}
	results, err := features.Read(requests, j)
	if err != nil {
		return nil, err
	}
	rows := make([]engine.DeviceRows, len(results))
	for i, result := range results {
		r := &featureRows{Result: result}
		r.device, r.free, r.references = result.Device, result.FreeInside, 1
		_, r.stream = result.Ready()
		rows[i] = r
	}
	return rows, nil
}

// Refresh is features.Refresh.
func (featureStore) Refresh(all []engine.DeviceFeatures, ids []uint32, change func() error, j *job.Job) error {
	stores := make([]*features.Store, len(all))
	for i, one := range all {
		stores[i] = one.(featureStore).Store
	}
	return features.Refresh(stores, ids, change, j)
}

// featureRows are rows of features in GPU memory.
type featureRows struct {
	*features.Result
	sharedBuffer
}

var _ engine.DeviceRows = (*featureRows)(nil)

// Address waits for the rows and returns their address.
func (r *featureRows) Address() (at uintptr, err error) {
	if err := r.Wait(); err != nil {
		return 0, err
	}
	ready, _ := r.Ready()
	return r.Result.Address(), r.Device.Do(func() error { return r.complete(ready) })
}

// Tensor returns the address of a DLPack tensor of the rows.
func (r *featureRows) Tensor(shape []int64, code, bits uint8, versioned bool, stream int64) (at uintptr, err error) {
	if err := r.Wait(); err != nil {
		return 0, err
	}
	strides, step := make([]int64, len(shape)), int64(1)
	for i := len(shape) - 1; i >= 0; i-- {
		strides[i] = step
		step *= shape[i]
	}
	t := dlpack.Tensor{Address: r.Result.Address(), Code: code, Bits: bits, Shape: shape, Strides: strides}
	err = r.Device.Do(func() (err error) {
		ready, _ := r.Ready()
		at, err = r.tensor(t, versioned, stream, ready)
		return err
	})
	return at, err
}

// CopyOut copies the rows to the host.
func (r *featureRows) CopyOut(to unsafe.Pointer, j *job.Job) error {
	if err := r.Wait(); err != nil {
		return err
	}
	return r.Device.Do(func() error {
		l, err := transfer.Of(r.Device)
		if err != nil {
			return err
		}
		ready, _ := r.Ready()
		c := transfer.Columns{Address: r.Result.Address(), Rows: int(r.Bytes), Width: 1, Stride: int(r.Bytes), Size: 1}
		return l.Rows(c, to, 1, ready, 0, j)
	})
}

// Release gives up a reference, after all copies have been submitted.
func (r *featureRows) Release() error {
	_ = r.Wait() // its error is that of the reads
	return r.sharedBuffer.Release()
}
