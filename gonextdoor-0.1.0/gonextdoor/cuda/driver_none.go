//go:build !(cuda && cgo && linux && amd64)

package cuda

import "unsafe"

// In builds without the driver, driverStatus reports an error. All other functions of the package return it, so that the
// functions below it are never called.

func driverStatus() (Code, string) { return codeNoDevice, "" }
func driverVersion() int           { return 0 }
func codeName(Code) string         { return "" }

func deviceCount() (int, error)                   { return 0, codeNoDevice }
func ownerOf(uintptr) (int, error)                { return 0, codeNoDevice }
func describe(int, *Device) (pools bool, _ error) { return false, codeNoDevice }
func retain(int) (handle, error)                  { return 0, codeNoDevice }
func push(handle) error                           { return codeNoDevice }
func pop()                                        {}
func synchronizeContext() error                   { return codeNoDevice }

func memoryInfo() (free, total int64, err error)           { return 0, 0, codeNoDevice }
func makePool(int, int64) (handle, error)                  { return 0, codeNoDevice }
func poolUse(handle) (reserved, used int64, err error)     { return 0, 0, codeNoDevice }
func sharePool(handle, int) error                          { return codeNoDevice }
func trimPool(handle) error                                { return codeNoDevice }
func allocate(handle, int64, handle) (uintptr, error)      { return 0, codeNoDevice }
func release(handle, uintptr, handle) error                { return codeNoDevice }
func pin(int64) (unsafe.Pointer, error)                    { return nil, codeNoDevice }
func unpin(unsafe.Pointer) error                           { return codeNoDevice }
func register(unsafe.Pointer, int64, bool) error           { return codeNoDevice }
func unregister(unsafe.Pointer) error                      { return codeNoDevice }
func pinnedRange(unsafe.Pointer) (uintptr, int64, error)   { return 0, 0, codeNoDevice }
func copyIn(uintptr, unsafe.Pointer, int64, handle) error  { return codeNoDevice }
func copyOut(unsafe.Pointer, uintptr, int64, handle) error { return codeNoDevice }
func copyPeer(uintptr, handle, uintptr, handle, int64, handle) error {
	return codeNoDevice
}
func granularity(int) (int64, error)               { return 0, codeNoDevice }
func makeChunk(int, int64) (chunk uint64, _ error) { return 0, codeNoDevice }
func releaseChunk(uint64) error                    { return codeNoDevice }
func reserveSpan(int64) (uintptr, error)           { return 0, codeNoDevice }
func freeSpan(uintptr, int64) error                { return codeNoDevice }
func mapChunk(uintptr, int64, uint64) error        { return codeNoDevice }
func unmapSpan(uintptr, int64) error               { return codeNoDevice }
func allowSpan(uintptr, int64, int) error          { return codeNoDevice }
func supportsSpans(int) (bool, error)              { return false, codeNoDevice }
func canAccess(device, peer int) (bool, error)     { return false, codeNoDevice }

func copyDevice(to, from uintptr, bytes int64, s handle) error { return codeNoDevice }
func fill32(uintptr, uint32, int64, handle) error              { return codeNoDevice }

func makeStream() (handle, error)                              { return 0, codeNoDevice }
func destroyStream(handle) error                               { return codeNoDevice }
func waitFor(handle, handle) error                             { return codeNoDevice }
func synchronize(handle) error                                 { return codeNoDevice }
func isCapturing(handle) bool                                  { return false }
func makeEvent() (handle, error)                               { return 0, codeNoDevice }
func destroyEvent(handle) error                                { return codeNoDevice }
func record(handle, handle) error                              { return codeNoDevice }
func query(handle) error                                       { return codeNoDevice }
func synchronizeEvent(handle) error                            { return codeNoDevice }
func elapsed(handle, handle) (milliseconds float64, err error) { return 0, codeNoDevice }
func beginCapture(handle) error                                { return codeNoDevice }
func endCapture(handle) (handle, error)                        { return 0, codeNoDevice }
func launchGraph(handle, handle) error                         { return codeNoDevice }
func destroyGraph(handle) error                                { return codeNoDevice }

func loadModule([]byte) (handle, error)                      { return 0, codeNoDevice }
func unloadModule(handle) error                              { return codeNoDevice }
func moduleFunction(handle, string) (handle, error)          { return 0, codeNoDevice }
func functionNeeds(handle) (registers, local int, err error) { return 0, 0, codeNoDevice }
func allowShared(handle, int) error                          { return codeNoDevice }
func blocksPerMultiprocessor(handle, int, int) (int, error)  { return 0, codeNoDevice }
func launch(handle, Grid, handle, unsafe.Pointer) error      { return codeNoDevice }
