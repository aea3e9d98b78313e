package pybind

import (
	"gonextdoor/gonextdoor"
	"gonextdoor/gonextdoor/engine"
	"gonextdoor/gonextdoor/feature"
	"gonextdoor/pybind/record"
)

// FeatureMemory returns how many bytes of a device's memory caches of features can take.
func FeatureMemory(device int64) (bytes int64, err error) {
	defer guard(&err)
	return gonextdoor.FeatureMemory(int(device))
}

// FeatureCacheOpen returns features that are read to a device, and fills the cache that a record.FeatureCache describes.
func FeatureCacheOpen(store int64, device int64, cache uintptr, job uintptr) (handle int64, err error) {
	defer guard(&err)
	s, err := features.get(store)
	if err != nil {
		return 0, err
	}
	c, err := gonextdoor.OpenFeatureCache(s, int(device), cacheOptions(s, *at[record.FeatureCache](cache)), jobAt(job))
	if err != nil {
		return 0, err
	}
	return featureCaches.add(c), nil
}

// FeaturePeers returns why count devices cannot share the slots of features, or "".
func FeaturePeers(ids uintptr, count int64) (why string, err error) {
	defer guard(&err)
	return gonextdoor.FeaturePeers(numbers(view[int64](ids, count))), nil
}

// numbers returns numbers of devices.
func numbers(ids []int64) []int {
	all := make([]int, len(ids))
	for i, id := range ids {
		all[i] = int(id)
	}
	return all
}

// FeatureCachesOpen returns features that are read to count devices, which share the slots of the cache that a record.FeatureCache
// describes: the first hot slots are on all of them. It writes a handle per device to out.
func FeatureCachesOpen(store int64, ids uintptr, count int64, hot int64, cache uintptr, out uintptr, job uintptr) (n int64, err error) {
	defer guard(&err)
	s, err := features.get(store)
	if err != nil {
		return 0, err
	}
	o := cacheOptions(s, *at[record.FeatureCache](cache))
	all, err := gonextdoor.OpenSharedFeatureCaches(s, numbers(view[int64](ids, count)), int(hot), o, jobAt(job))
	if err != nil {
		return 0, err
	}
	for i, c := range all {
		view[int64](out, count)[i] = featureCaches.add(c)
	}
	return count, nil
}

// cacheOptions returns the options of a record.
func cacheOptions(s feature.Store, r record.FeatureCache) engine.FeatureOptions {
	o := engine.FeatureOptions{
		Slots: int(r.Slots), Lookahead: r.Lookahead != 0, Misses: engine.FeatureWay(r.Misses), Threads: int(r.Threads),
	}
	if int64(o.Slots) < s.Rows() {
		o.Placed = append([]uint32{}, view[uint32](uintptr(r.Placed), r.Rows)...)
		if r.Classes != 0 {
			o.Classes = view[uint8](uintptr(r.Classes), s.Rows())
		}
	}
	return o
}

// FeatureCacheFacts writes slots, misses and bytes of a cache to a record.FeatureCache.
func FeatureCacheFacts(cache int64, out uintptr) (known bool, err error) {
	defer guard(&err)
	c, err := featureCaches.get(cache)
	if err != nil {
		return false, err
	}
	way, _ := c.Way()
	*at[record.FeatureCache](out) = record.FeatureCache{Slots: int64(c.Slots()), Misses: int64(way), Bytes: c.Bytes()}
	return true, nil
}

// FeatureCacheWhy returns why missed rows of a cache are read as they are, or "" if the caller chose it.
func FeatureCacheWhy(cache int64) (why string, err error) {
	defer guard(&err)
	c, err := featureCaches.get(cache)
	if err != nil {
		return "", err
	}
	_, why = c.Way()
	return why, nil
}

// DropFeatureCache frees a cache, once its reads are complete. Results stay.
func DropFeatureCache(cache int64) (known bool, err error) {
	defer guard(&err)
	c, known := featureCaches.drop(cache)
	if known {
		err = c.Close()
	}
	return known, err
}

// featureIDs returns the ids of a record.
func featureIDs(r record.FeatureIDs) engine.FeatureIDs {
	return engine.FeatureIDs{
		Address: uintptr(r.Address), Count: int(r.Rows), Bytes: int(max(r.Kind, -r.Kind)), Signed: r.Kind < 0, Host: r.Host != 0,
		Stream: uintptr(r.Stream),
	}
}

// FeatureCacheRead begins to read rows of count caches of one device by one launch. caches are handles; ids is an array of
// record.FeatureIDs, whose memory on a device must be kept until the reads are done. to is an array of record.FeatureTarget for the
// rows; 0: their memory is allocated. It writes the handles of the rows to out.
func FeatureCacheRead(caches uintptr, ids uintptr, to uintptr, count int64, out uintptr) (n int64, err error) {
	defer guard(&err)
	all, of := make([]*gonextdoor.FeatureCache, count), make([]engine.FeatureIDs, count)
	for i, handle := range view[int64](caches, count) {
		if all[i], err = featureCaches.get(handle); err != nil {
			return 0, err
		}
		of[i] = featureIDs(view[record.FeatureIDs](ids, count)[i])
	}
	var targets []engine.FeatureTarget
	if to != 0 {
		for _, r := range view[record.FeatureTarget](to, count) {
			targets = append(targets, engine.FeatureTarget{Address: uintptr(r.Address), Stream: uintptr(r.Stream)})
		}
	}
	rows, err := gonextdoor.ReadFeatures(all, of, targets, nil)
	if err != nil {
		return 0, err
	}
	for i, r := range rows {
		view[int64](out, count)[i] = deviceRows.add(r)
	}
	return count, nil
}

// FeatureCacheAnnounce tells a cache that looks ahead the ids of the next batch.
func FeatureCacheAnnounce(cache int64, ids uintptr) (known bool, err error) {
	defer guard(&err)
	c, err := featureCaches.get(cache)
	if err != nil {
		return false, err
	}
	return true, c.Announce(featureIDs(*at[record.FeatureIDs](ids)))
}

// FeatureCacheForget drops the batches that were announced to a cache and not read.
func FeatureCacheForget(cache int64) (known bool, err error) {
	defer guard(&err)
	c, err := featureCaches.get(cache)
	if err != nil {
		return false, err
	}
	return true, c.Forget()
}

// FeatureCacheCounts writes what has been read of a cache to a record.FeatureCounts.
func FeatureCacheCounts(cache int64, out uintptr) (known bool, err error) {
	defer guard(&err)
	c, err := featureCaches.get(cache)
	if err != nil {
		return false, err
	}
	*at[record.FeatureCounts](out) = featureCounts(c.Counts())
	return true, nil
}

// DeviceRowsDone reports whether a read is done: all ids have been checked, and all missed rows gathered.
func DeviceRowsDone(rows int64) (done bool, err error) {
	defer guard(&err)
	r, err := deviceRows.get(rows)
	if err != nil {
		return false, err
	}
	return r.Done(), nil
}

// DeviceRowsWait waits until a read is done, and returns its error.
func DeviceRowsWait(rows int64) (done bool, err error) {
	defer guard(&err)
	r, err := deviceRows.get(rows)
	if err != nil {
		return false, err
	}
	return true, r.Wait()
}

// DeviceRowsMisses returns how many rows of a read were not in the device's memory, once it is done.
func DeviceRowsMisses(rows int64) (misses int64, err error) {
	defer guard(&err)
	r, err := deviceRows.get(rows)
	if err != nil {
		return 0, err
	}
	return int64(r.Misses()), nil
}

// DeviceRowsTensor returns the address of a DLPack tensor of the rows. shape has rank integers. See engine.DeviceRows.Tensor.
func DeviceRowsTensor(rows int64, shape uintptr, rank int64, code int64, bits int64, versioned bool, stream int64) (address int64, err error) {
	defer guard(&err)
	r, err := deviceRows.get(rows)
	if err != nil {
		return 0, err
	}
	of := append([]int64{}, view[int64](shape, rank)...)
	at, err := r.Tensor(of, uint8(code), uint8(bits), versioned, stream)
	return int64(at), err
}

// DeviceRowsAddress waits for the rows and returns their address.
func DeviceRowsAddress(rows int64) (address int64, err error) {
	defer guard(&err)
	r, err := deviceRows.get(rows)
	if err != nil {
		return 0, err
	}
	at, err := r.Address()
	return int64(at), err
}

// DeviceRowsOut copies the rows to out.
func DeviceRowsOut(rows int64, out uintptr, job uintptr) (known bool, err error) {
	defer guard(&err)
	r, err := deviceRows.get(rows)
	if err != nil {
		return false, err
	}
	return true, r.CopyOut(pointer(out), jobAt(job))
}

// DropDeviceRows releases rows, once they have been read.
func DropDeviceRows(rows int64) (known bool, err error) {
	defer guard(&err)
	r, known := deviceRows.drop(rows)
	if known {
		err = r.Release()
	}
	return known, err
}
