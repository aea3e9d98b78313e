package gonextdoor

import (
	"errors"
	"slices"
	"sync"

	"gonextdoor/gonextdoor/engine"
	"gonextdoor/gonextdoor/feature"
	"gonextdoor/gonextdoor/job"
	"gonextdoor/gonextdoor/refuse"
)

// FeatureCache is features that are read to the memory of a device, which has a cache of them.
type FeatureCache struct {
	engine.DeviceFeatures
	store  feature.Store
	device int
	files  bool // missed rows are in files
	closed sync.Once
}

// featureCaches are the open caches of each store.
var featureCaches struct {
	sync.Mutex
	of map[feature.Store][]*FeatureCache
}

// featureUpdates is held for writing by updates, and for reading while a cache is opened, which reads rows.
var featureUpdates sync.RWMutex

// OpenFeatureCache returns features of a store that are read to a device. The caller closes it. See engine.Device.OpenFeatures.
func OpenFeatureCache(s feature.Store, device int, o engine.FeatureOptions, j *job.Job) (*FeatureCache, error) {
	rows, ok := s.(feature.Gatherer)
	if !ok {
		return nil, refuse.Value("features: expected rows in host memory or in a file")
	}
	d, err := devices.Open(device)
	if err != nil {
		return nil, err
	}
	featureUpdates.RLock()
	defer featureUpdates.RUnlock()
	opened, err := d.OpenFeatures(rows, o, j)
	if err != nil {
		return nil, err
	}
	c := &FeatureCache{DeviceFeatures: opened, store: s, device: device, files: rows.OnlyFiles()}
	featureCaches.Lock()
	defer featureCaches.Unlock()
	if featureCaches.of == nil {
		featureCaches.of = map[feature.Store][]*FeatureCache{}
	}
	featureCaches.of[s] = append(featureCaches.of[s], c)
	return c, nil
}

// FeaturePeers returns why devices cannot share the slots of features, or "".
func FeaturePeers(ids []int) string {
	if refusal := devices.PeerAccess(ids); refusal != nil {
		return refusal.Error()
	}
	return ""
}

// OpenSharedFeatureCaches returns features of a store that are read to several devices, with slots that these share: the first hot
// slots are on all devices, and the others on one each. The caller closes them. See engine.Backend.ShareFeatures.
func OpenSharedFeatureCaches(s feature.Store, ids []int, hot int, o engine.FeatureOptions, j *job.Job) (all []*FeatureCache, err error) {
	bytes := int64(o.Slots) * s.RowBytes()
	if o.Memory, err = devices.ShareFeatures(ids, bytes, min(bytes, int64(hot)*s.RowBytes())); err != nil {
		return nil, err
	}
	for _, id := range ids {
		c, err := OpenFeatureCache(s, id, o, j)
		if err != nil {
			for _, opened := range all {
				err = errors.Join(err, opened.Close())
			}
			return nil, errors.Join(err, o.Memory.Release())
		}
		all = append(all, c)
	}
	return all, o.Memory.Release()
}

// Counts returns what has been read so far, by place.
func (c *FeatureCache) Counts() feature.Counts {
	n := c.DeviceFeatures.Counts()
	if c.files {
		return feature.Counts{Reads: n.Reads, DeviceRows: n.Hits, FileRows: n.Misses}
	}
	return feature.Counts{Reads: n.Reads, DeviceRows: n.Hits, HostRows: n.Misses, KernelRows: n.ByKernel}
}

// FeatureMemory returns how many bytes of a device's memory caches of features can take, see engine.Device.FeatureMemory.
func FeatureMemory(device int) (int64, error) {
	d, err := devices.Open(device)
	if err != nil {
		return 0, err
	}
	return d.FeatureMemory()
}

// Close frees the cache. Results stay. A second call does nothing.
func (c *FeatureCache) Close() (err error) {
	c.closed.Do(func() {
		featureCaches.Lock()
		left := slices.DeleteFunc(featureCaches.of[c.store], func(other *FeatureCache) bool { return other == c })
		if featureCaches.of[c.store] = left; len(left) == 0 {
			delete(featureCaches.of, c.store)
		}
		featureCaches.Unlock()
		err = c.DeviceFeatures.Close()
	})
	return err
}

// ReadFeatures begins to read rows of caches, which are of one device. See engine.DeviceFeatures.Read.
func ReadFeatures(all []*FeatureCache, ids []engine.FeatureIDs, to []engine.FeatureTarget, j *job.Job) ([]engine.DeviceRows, error) {
	if len(all) == 0 {
		return nil, nil
	}
	list := make([]engine.DeviceFeatures, len(all))
	for i, c := range all {
		list[i] = c.DeviceFeatures
	}
	return list[0].Read(list, ids, to, j)
}

// UpdateFeatures copies rows to a store and to all caches of it.
func UpdateFeatures(s feature.Store, q feature.Request) error {
	featureUpdates.Lock()
	defer featureUpdates.Unlock()
	featureCaches.Lock()
	defer featureCaches.Unlock() // no cache may be closed meanwhile
	caches := featureCaches.of[s]
	if len(caches) == 0 {
		return s.Update(q)
	}
	long := make([]int64, q.IDs.Count)
	if err := q.IDs.Copy(0, long, s.Rows()); err != nil {
		return err
	}
	ids := make([]uint32, len(long))
	for i, id := range long {
		ids[i] = uint32(id)
	}
	q.IDs = feature.Of(long) // the caller may change the array meanwhile
	// All caches stop reading, device by device, before the store changes.
	change := func() error { return s.Update(q) }
	byDevice := map[int][]engine.DeviceFeatures{}
	for _, c := range caches {
		byDevice[c.device] = append(byDevice[c.device], c.DeviceFeatures)
	}
	for _, all := range byDevice {
		inner := change
		change = func() error { return all[0].Refresh(all, ids, inner, q.Job) }
	}
	return change()
}

// Features returns a store of rows of rowBytes bytes each: those of the parts, in their order.
func Features(parts []feature.Part, rowBytes int64) (feature.Store, error) {
	return feature.New(parts, rowBytes)
}
