package pybind

import (
	"encoding/json"
	"errors"
	"strconv"

	"gonextdoor/gonextdoor"
	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/dlpack"
	"gonextdoor/gonextdoor/engine"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/plan"
	"gonextdoor/gonextdoor/roots"
	"gonextdoor/pybind/record"
)

// DeviceCount returns the number of devices, or why none can be used.
func DeviceCount() (n int64, err error) {
	defer guard(&err)
	count, err := gonextdoor.Backend().Count()
	return int64(count), err
}

// DeviceFor returns the number of the device that is expected to finish before the CPU, or -1. cpu and gpu are the seconds
// of Estimate for a number of samples.
func DeviceFor(graph int64, app int64, width int64, samples int64, cpu float64, gpu float64) (id int64, err error) {
	defer guard(&err)
	g, a, err := graphAndApp(graph, app)
	if err != nil {
		return -1, err
	}
	err = readMapped(g, func() error { id = int64(gonextdoor.DeviceFor(g, a, int(width), int(samples), cpu, gpu)); return nil })
	return id, err
}

// DeviceRuns reports whether a device runs an app on a graph.
func DeviceRuns(graph int64, app int64, width int64) (runs bool, err error) {
	defer guard(&err)
	g, a, err := graphAndApp(graph, app)
	if err != nil {
		return false, err
	}
	return gonextdoor.Runs(g, a, int(width)), nil
}

// DeviceExcess returns how calls of an app on GPUs, a bit each, run with or without edge ids: a value of gonextdoor.Excess.
func DeviceExcess(graph int64, app int64, width int64, devices int64, edges bool) (excess int64, err error) {
	defer guard(&err)
	g, a, err := graphAndApp(graph, app)
	if err != nil {
		return 0, err
	}
	err = readMapped(g, func() error {
		e, err := gonextdoor.ExcessOf(gonextdoor.Devices(devices), g, a, int(width), edges)
		excess = int64(e)
		return err
	})
	return excess, err
}

// graphAndApp returns the objects of two handles.
func graphAndApp(on, with int64) (*graph.Graph, app.App, error) {
	g, err := graphs.get(on)
	if err != nil {
		return nil, nil, err
	}
	a, err := parsedApps.get(with)
	return g, a, err
}

// DeviceRefusal returns an error if no device runs an app; its hooks need not be compiled yet.
func DeviceRefusal(graph int64, app int64, width int64) (runs bool, err error) {
	defer guard(&err)
	g, a, err := graphAndApp(graph, app)
	if err != nil {
		return false, err
	}
	return true, gonextdoor.Refusal(g, a, int(width))
}

// GraphDeviceBytes returns, as JSON, how many bytes of each device's memory a graph takes.
func GraphDeviceBytes(handle int64) (text string, err error) {
	defer guard(&err)
	g, err := graphs.get(handle)
	if err != nil {
		return "", err
	}
	bytes := map[string]int64{}
	devices := gonextdoor.Backend()
	for id, n := range devices.GraphBytes(g) {
		bytes[devices.Name()+":"+strconv.Itoa(id)] = n
	}
	b, err := json.Marshal(bytes)
	return string(b), err
}

// GraphReleaseDevice frees the memory that a graph takes on all devices.
func GraphReleaseDevice(handle int64) (known bool, err error) {
	defer guard(&err)
	g, err := graphs.get(handle)
	if err != nil {
		return false, err
	}
	return true, gonextdoor.Backend().ReleaseGraph(g)
}

// SampleOnDevices makes samples that stay in the memory of the sampler's GPUs, and usually returns before they are complete.
// It writes a record.DeviceResult for each GPU that has rows to request.Result, in the order of the rows, and returns their
// number. It returns 0 if the memory of a GPU is too small.
func SampleOnDevices(sampler int64, request uintptr, job uintptr) (shards int64, err error) {
	defer guard(&err)
	q := *at[record.Request](request)
	lazy, err := samplers.get(sampler)
	if err != nil {
		return 0, err
	}
	held, free, err := deviceRootsOf(lazy, &q)
	if errors.Is(err, cuda.ErrMemory) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	defer func() {
		if e := free(); err == nil {
			err = e
		}
	}()
	s, b, err := plannedFrom(lazy, &q, held, jobAt(job))
	if err != nil {
		return 0, err
	}
	made, err := s.OnDevices(b, int(q.Size), jobAt(job))
	if err != nil {
		return 0, err
	}
	records := view[record.DeviceResult](uintptr(q.Result), int64(len(made)))
	for i, r := range made {
		records[i] = described(r)
	}
	return int64(len(made)), nil
}

// described returns the record of samples on a device, with a new handle of them.
func described(r engine.DeviceSamples) record.DeviceResult {
	shape, total, fromHost := r.Shape(), -1, int64(0)
	if shape.FromHost {
		fromHost = 1
	}
	if r.Settled() {
		total = r.Total()
	}
	return record.DeviceResult{
		Rows: int64(shape.Rows), Width: int64(shape.Width), Stride: int64(shape.Stride), Roots: int64(shape.Roots),
		Total: int64(total), Device: int64(shape.Device), Ends: int64(shape.Ends), Links: int64(shape.Links), FromHost: fromHost,
		Handle: results.add(r),
	}
}

// deviceRootsOf returns the roots of a request for the GPUs of a sampler. Roots in host memory that take at least
// plan.UploadPinned bytes are validated and copied to the GPUs, unless the CPU makes the samples; free frees the copies.
func deviceRootsOf(s *gonextdoor.LazySampler, r *record.Request) (of plan.Roots, free func() error, err error) {
	n := r.RootCount * int64(s.RootWidth)
	of = plan.Roots{Count: int(r.RootCount), Width: s.RootWidth, Repeat: int(r.Repeat)}
	if 4*n < plan.UploadPinned || r.Kind == 0 || r.Kind >= kindOnDevice || s.FromHost(batchOf(r, of)) {
		of, err = rootsAt(s.Graph, r, s.RootWidth)
		return of, func() error { return nil }, err
	}
	return s.Devices.UploadRoots(of, func(first int, into []uint32) error {
		return roots.CopyKind(s.Graph.NumVertices(), "roots", pointer(uintptr(r.Roots)), r.Kind, first, into, int(r.Threads), true)
	})
}

// ResultTotal waits until the number of vertices of all samples of a result is known, and returns it.
func ResultTotal(handle int64) (total int64, err error) {
	defer guard(&err)
	r, err := results.get(handle)
	if err != nil {
		return 0, err
	}
	if err := r.Settle(); err != nil {
		return 0, err
	}
	return int64(r.Total()), nil
}

// DeviceRoots validates integers of a kind (see vertices) that another library has in a device's memory: rows x width of
// them, down and right elements apart. The present work of stream completes them. It keeps a copy for calls that take it as
// roots of kind 32, with the handle in place of the address.
func DeviceRoots(graph int64, device int64, address uintptr, rows int64, width int64, down int64, right int64, kind int64,
	stream uintptr,
) (handle int64, err error) {
	defer guard(&err)
	g, err := graphs.get(graph)
	if err != nil {
		return 0, err
	}
	d, err := gonextdoor.Backend().Open(int(device))
	if err != nil {
		return 0, err
	}
	r, err := d.CheckRoots(engine.DeviceArray{
		Address: address, Rows: int(rows), Width: int(width), Down: int(down), Right: int(right), Kind: int(kind), Stream: stream,
	}, g.NumVertices())
	if err != nil {
		return 0, err
	}
	return deviceRoots.add(r), nil
}

// DeviceOf returns the number of the device whose memory contains an address.
func DeviceOf(address uintptr) (id int64, err error) {
	defer guard(&err)
	n, err := gonextdoor.Backend().DeviceOf(address)
	return int64(n), err
}

// DeviceRootsOut copies the roots of DeviceRoots to out, a uint32 each.
func DeviceRootsOut(handle int64, out uintptr) (n int64, err error) {
	defer guard(&err)
	r, err := deviceRoots.get(handle)
	if err != nil {
		return 0, err
	}
	return int64(r.Count()), r.CopyOut(pointer(out))
}

// DropDeviceRoots frees the roots of DeviceRoots.
func DropDeviceRoots(handle int64) (known bool, err error) {
	defer guard(&err)
	r, known := deviceRoots.drop(handle)
	if known {
		err = r.Free()
	}
	return known, err
}

// ResultTensor returns the address of a DLPack tensor of an array of a result: which = 0 vertices of 4 bytes, 1 of 8, 2
// edges, 3 offsets, and so on as engine.Part. See engine.DeviceSamples.Tensor.
func ResultTensor(handle int64, which int64, versioned bool, stream int64) (address int64, err error) {
	defer guard(&err)
	r, err := results.get(handle)
	if err != nil {
		return 0, err
	}
	at, err := r.Tensor(engine.Part(which), versioned, stream)
	return int64(at), err
}

// CapsuleDestructor returns the address of the C function that deletes a capsule whose tensor was not consumed.
func CapsuleDestructor(isValid uintptr, getPointer uintptr) (address int64, err error) {
	defer guard(&err)
	at, err := dlpack.Destructor(isValid, getPointer)
	return int64(at), err
}

// ResultAddress waits for an array of a result and returns its address in the device's memory.
func ResultAddress(handle int64, which int64) (address int64, err error) {
	defer guard(&err)
	r, err := results.get(handle)
	if err != nil {
		return 0, err
	}
	at, err := r.Address(engine.Part(which))
	return int64(at), err
}

// ResultRows copies the first width slots of an array of a result to out, row by row.
func ResultRows(handle int64, which int64, width int64, out uintptr, job uintptr) (n int64, err error) {
	defer guard(&err)
	r, err := results.get(handle)
	if err != nil {
		return 0, err
	}
	return 0, r.CopyOut(engine.Part(which), int(width), pointer(out), 0, jobAt(job))
}

// ResultLengths writes the number of vertices of each of the rows, an int64, to out.
func ResultLengths(handle int64, out uintptr, rows int64, job uintptr) (n int64, err error) {
	defer guard(&err)
	r, err := results.get(handle)
	if err != nil {
		return 0, err
	}
	return rows, r.Lengths(view[int64](out, rows), jobAt(job))
}

// ResultFilled returns the number of vertices of all samples of a result together, without missing ones.
func ResultFilled(handle int64, job uintptr) (n int64, err error) {
	defer guard(&err)
	r, err := results.get(handle)
	if err != nil {
		return 0, err
	}
	return r.Filled(jobAt(job))
}

// ResultVisits writes how often each vertex occurs in a result, an int64 each, to counts.
func ResultVisits(handle int64, counts uintptr, vertices int64, job uintptr) (n int64, err error) {
	defer guard(&err)
	r, err := results.get(handle)
	if err != nil {
		return 0, err
	}
	return vertices, r.Visits(view[int64](counts, vertices), jobAt(job))
}

// GatherResults copies the samples of count results, whose handles are at an address, to the memory of a device. It writes a
// record.DeviceResult to into.
func GatherResults(handles uintptr, count int64, device int64, into uintptr) (handle int64, err error) {
	defer guard(&err)
	var shards []engine.DeviceSamples
	for _, h := range view[int64](handles, count) {
		r, err := results.get(h)
		if err != nil {
			return 0, err
		}
		shards = append(shards, r)
	}
	all, err := gonextdoor.Backend().Gather(shards, int(device))
	if err != nil {
		return 0, err
	}
	*at[record.DeviceResult](into) = described(all)
	return at[record.DeviceResult](into).Handle, nil
}

// ResultSeconds waits for a result and returns the time that the device spent on it.
func ResultSeconds(handle int64) (seconds float64, err error) {
	defer guard(&err)
	r, err := results.get(handle)
	if err != nil {
		return 0, err
	}
	return r.Seconds()
}

// DropResult releases a result.
func DropResult(handle int64) (known bool, err error) {
	defer guard(&err)
	r, known := results.drop(handle)
	if known {
		err = r.Release()
	}
	return known, err
}
