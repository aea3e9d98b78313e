package pybind

import (
	"encoding/json"
	"strconv"

	"gonextdoor/gonextdoor"
	"gonextdoor/gonextdoor/app"
	"gonextdoor/gonextdoor/cuda"
	"gonextdoor/gonextdoor/dlpack"
	"gonextdoor/gonextdoor/engine/gpu/resident"
	"gonextdoor/gonextdoor/engine/gpu/transfer"
	"gonextdoor/gonextdoor/graph"
	"gonextdoor/gonextdoor/plan"
)

// DeviceCount gives the number of GPUs; an error says why none can be used.
func DeviceCount() (n int64, err error) {
	defer guard(&err)
	count, err := cuda.Count()
	return int64(count), err
}

// DeviceFor gives the number of the GPU that samples sooner than the CPU, which would take so many seconds, or -1.
func DeviceFor(graph int64, app int64, width int64, seconds float64) (id int64, err error) {
	defer guard(&err)
	g, a, err := both(graph, app)
	if err != nil {
		return -1, err
	}
	return int64(gonextdoor.DeviceFor(g, a, int(width), seconds)), nil
}

// DeviceRuns says whether a GPU runs an app on a graph.
func DeviceRuns(graph int64, app int64, width int64) (runs bool, err error) {
	defer guard(&err)
	g, a, err := both(graph, app)
	if err != nil {
		return false, err
	}
	return gonextdoor.Runs(g, a, int(width)), nil
}

func both(on, with int64) (*graph.Graph, app.App, error) {
	g, err := graphs.get(on)
	if err != nil {
		return nil, nil, err
	}
	a, err := apps.get(with)
	return g, a, err
}

// DeviceRefusal fails where no GPU runs an app; its hooks need not be compiled yet.
func DeviceRefusal(graph int64, app int64, width int64) (runs bool, err error) {
	defer guard(&err)
	g, a, err := both(graph, app)
	if err != nil {
		return false, err
	}
	return true, gonextdoor.Refusal(g, a, int(width))
}

// GraphDeviceBytes gives as JSON how much memory of each GPU a graph takes.
func GraphDeviceBytes(handle int64) (text string, err error) {
	defer guard(&err)
	g, err := graphs.get(handle)
	if err != nil {
		return "", err
	}
	bytes := map[string]int64{}
	for id, n := range resident.Bytes(g) {
		bytes["cuda:"+strconv.Itoa(id)] = n
	}
	b, err := json.Marshal(bytes)
	return string(b), err
}

// GraphReleaseDevice gives back what a graph takes of all GPUs' memory.
func GraphReleaseDevice(handle int64) (known bool, err error) {
	defer guard(&err)
	g, err := graphs.get(handle)
	if err != nil {
		return false, err
	}
	return true, resident.Drop(g)
}

// SampleOnDevice makes samples that stay on a GPU, and mostly returns before they are there. size is the bytes of a vertex
// that will be asked for. It writes to facts: rows, width (0: they differ in length), stride, roots, the number of
// vertices (-1: ResultTotal says it, once it is known), the device, and the handle. 0: the GPU has no room.
func SampleOnDevice(graph int64, app int64, roots uintptr, count int64, width int64, kind int64, repeat int64, seed int64,
	first int64, threads int64, device int64, edges bool, size int64, facts uintptr, job uintptr,
) (handle int64, err error) {
	defer guard(&err)
	if n := count * width; n >= plan.UploadRoots && kind != 0 && kind < onDevice {
		up, err := uploaded(graph, roots, n, kind, device, threads)
		if err != nil {
			return 0, err
		}
		held := deviceRoots.add(up)
		defer func() {
			deviceRoots.drop(held)
			if e := up.Free(); err == nil {
				err = e
			}
		}()
		roots, kind = uintptr(held), onDevice
	}
	s, b, err := request(graph, app, roots, count, width, kind, repeat, seed, first, threads, 1<<device, edges, job)
	if err != nil {
		return 0, err
	}
	r, err := s.OnDevice(b, int(size), watched(job))
	if err != nil || r == nil {
		return 0, err
	}
	total := r.Total
	if r.Width > 0 {
		total = r.Rows * r.Width
	} else if !r.Settled() {
		total = -1
	}
	handle = results.add(r)
	copy(view[int64](facts, 7), []int64{
		int64(r.Rows), int64(r.Width), int64(r.Stride), int64(r.Roots), int64(total), int64(r.Device.ID), handle,
	})
	return handle, nil
}

// ResultTotal waits until it is known how many vertices the samples of a result have together.
func ResultTotal(handle int64) (total int64, err error) {
	defer guard(&err)
	r, err := results.get(handle)
	if err != nil {
		return 0, err
	}
	if err := r.Settle(); err != nil {
		return 0, err
	}
	return int64(r.Total), nil
}

// uploaded brings n roots of a kind to a GPU.
func uploaded(on int64, roots uintptr, n, kind, device, threads int64) (*gonextdoor.DeviceRoots, error) {
	g, err := graphs.get(on)
	if err != nil {
		return nil, err
	}
	return gonextdoor.UploadRoots(int(device), int(n), func(into []uint32) error {
		return narrowed(g.NumVertices(), "roots", roots, kind, into, int(threads))
	})
}

// DeviceRoots checks integers of a kind (see vertices) that another library has on a GPU: rows x width of them, down and
// right elements apart, which are there behind the present work of stream. It holds a copy for calls that take it as roots
// of the kind 32, their handle in place of the address.
func DeviceRoots(graph int64, device int64, address uintptr, rows int64, width int64, down int64, right int64, kind int64,
	stream uintptr,
) (handle int64, err error) {
	defer guard(&err)
	g, err := graphs.get(graph)
	if err != nil {
		return 0, err
	}
	given := transfer.Given{
		Address: address, Rows: int(rows), Width: int(width), Down: int(down), Right: int(right), Kind: int(kind),
	}
	r, err := gonextdoor.NewDeviceRoots(g, int(device), given, stream)
	if err != nil {
		return 0, err
	}
	return deviceRoots.add(r), nil
}

// DeviceOf gives the number of the GPU that an address belongs to.
func DeviceOf(address uintptr) (id int64, err error) {
	defer guard(&err)
	n, err := cuda.Of(address)
	return int64(n), err
}

// DeviceRootsOut copies such roots to out, a uint32 each.
func DeviceRootsOut(handle int64, out uintptr) (n int64, err error) {
	defer guard(&err)
	r, err := deviceRoots.get(handle)
	if err != nil {
		return 0, err
	}
	return int64(r.Count), r.CopyOut(pointer(out))
}

// DropDeviceRoots ends such roots.
func DropDeviceRoots(handle int64) (known bool, err error) {
	defer guard(&err)
	r, known := deviceRoots.drop(handle)
	if known {
		err = r.Free()
	}
	return known, err
}

// ResultTensor gives the address of a DLPack tensor of an array of a result: which = 0 vertices of 4 bytes, 1 of 8, 2
// edges, 3 offsets. See gonextdoor.DeviceSamples.Tensor.
func ResultTensor(handle int64, which int64, versioned bool, stream int64) (address int64, err error) {
	defer guard(&err)
	r, err := results.get(handle)
	if err != nil {
		return 0, err
	}
	at, err := r.Tensor(gonextdoor.Part(which), versioned, stream)
	return int64(at), err
}

// CapsuleDestructor gives the address of the C function that ends a capsule whose tensor nobody took.
func CapsuleDestructor(isValid uintptr, getPointer uintptr) (address int64, err error) {
	defer guard(&err)
	at, err := dlpack.Destructor(isValid, getPointer)
	return int64(at), err
}

// ResultAddress waits for an array of a result and gives where it lies on the card.
func ResultAddress(handle int64, which int64) (address int64, err error) {
	defer guard(&err)
	r, err := results.get(handle)
	if err != nil {
		return 0, err
	}
	at, err := r.Address(gonextdoor.Part(which))
	return int64(at), err
}

// ResultRows copies the first width slots of an array of a result to out, row by row.
func ResultRows(handle int64, which int64, width int64, out uintptr, job uintptr) (n int64, err error) {
	defer guard(&err)
	r, err := results.get(handle)
	if err != nil {
		return 0, err
	}
	return 0, r.CopyOut(gonextdoor.Part(which), int(width), pointer(out), 0, watched(job))
}

// ResultLengths writes the number of vertices of each of the rows, an int64, to out.
func ResultLengths(handle int64, out uintptr, rows int64, job uintptr) (n int64, err error) {
	defer guard(&err)
	r, err := results.get(handle)
	if err != nil {
		return 0, err
	}
	return rows, r.Lengths(view[int64](out, rows), watched(job))
}

// ResultVisits writes how often each of the vertices stands in a result, an int64 each, to counts.
func ResultVisits(handle int64, counts uintptr, vertices int64, job uintptr) (n int64, err error) {
	defer guard(&err)
	r, err := results.get(handle)
	if err != nil {
		return 0, err
	}
	return vertices, r.Visits(view[int64](counts, vertices), watched(job))
}

// ResultSeconds waits for a result and gives the time that the card took for it.
func ResultSeconds(handle int64) (seconds float64, err error) {
	defer guard(&err)
	r, err := results.get(handle)
	if err != nil {
		return 0, err
	}
	return r.Seconds()
}

// DropResult lets go of a result.
func DropResult(handle int64) (known bool, err error) {
	defer guard(&err)
	r, known := results.drop(handle)
	if known {
		err = r.Release()
	}
	return known, err
}
