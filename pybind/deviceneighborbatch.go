package pybind

import (
	"gonextdoor/gonextdoor"
	"gonextdoor/gonextdoor/engine"
	"gonextdoor/gonextdoor/graph"
)

// SampleNeighborsOnDevices is SampleNeighbors on devices, which take turns. The arenas, one or several for each, stay there. If the
// call writes a handle to neighborbatch.Request.Pending, FinishNeighbors writes the headers.
func SampleNeighborsOnDevices(hetero int64, sampling int64, record uintptr, job uintptr) (known bool, err error) {
	defer guard(&err)
	s, err := neighborSamplers.get(hetero)
	if err != nil {
		return false, err
	}
	m, err := neighborSamplings.get(sampling)
	if err != nil {
		return false, err
	}
	open := func(devices uint64) ([]engine.Device, error) {
		return gonextdoor.Devices(devices).OpenFor(s.Graph, m, graph.Options{Job: jobAt(job)})
	}
	return true, s.CallOnDevices(open, m, pointer(record), deviceBatches.add, pendingCalls.add, jobAt(job))
}

// FinishNeighbors ends a call of SampleNeighborsOnDevices, of which it takes the handle.
func FinishNeighbors(handle int64, job uintptr) (known bool, err error) {
	defer guard(&err)
	p, known := pendingCalls.drop(handle)
	if known {
		err = p.Finish(jobAt(job))
	}
	return known, err
}

// DropNeighbors releases the batches of a call of SampleNeighborsOnDevices that FinishNeighbors has not ended.
func DropNeighbors(handle int64) (known bool, err error) {
	defer guard(&err)
	p, known := pendingCalls.drop(handle)
	if known {
		err = p.Discard()
	}
	return known, err
}

// NeighborBatchesTensor returns the address of a DLPack tensor of count integers of an arena, beginning at integer from. See
// engine.DeviceSamples.Tensor.
func NeighborBatchesTensor(handle int64, from int64, count int64, versioned bool, stream int64) (address int64, err error) {
	defer guard(&err)
	r, err := deviceBatches.get(handle)
	if err != nil {
		return 0, err
	}
	at, err := r.Tensor(int(from), int(count), versioned, stream)
	return int64(at), err
}

// NeighborBatchesAddress waits for an arena on a device and returns its address.
func NeighborBatchesAddress(handle int64) (address int64, err error) {
	defer guard(&err)
	r, err := deviceBatches.get(handle)
	if err != nil {
		return 0, err
	}
	at, err := r.Address()
	return int64(at), err
}

// NeighborBatchesOut copies count integers of an arena on a device, beginning at integer from, to out.
func NeighborBatchesOut(handle int64, from int64, count int64, out uintptr, job uintptr) (n int64, err error) {
	defer guard(&err)
	r, err := deviceBatches.get(handle)
	if err != nil {
		return 0, err
	}
	return count, r.CopyOut(int(from), int(count), pointer(out), jobAt(job))
}

// DropNeighborBatches releases an arena on a device.
func DropNeighborBatches(handle int64) (known bool, err error) {
	defer guard(&err)
	r, known := deviceBatches.drop(handle)
	if known {
		err = r.Release()
	}
	return known, err
}
