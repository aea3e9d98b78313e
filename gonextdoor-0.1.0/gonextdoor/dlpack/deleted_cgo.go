//go:build cgo

package dlpack

// #include <stdint.h>
import "C"

// gonextdoorTensorDeleted is called by the deleters of tensors. cgo requires that it is in a file without C definitions.
//
//export gonextdoorTensorDeleted
func gonextdoorTensorDeleted(number C.uint64_t) { deleteTensor(uint64(number)) }
