package cuda

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"errors"
)

// The driver receives the address of an image without its length. If the image was truncated, it would read beyond the end.
// The functions of this file detect truncated images as far as their headers permit.

// A fatbin begins with a header: magic number (4 bytes), version (2), length of the header (2), length of the rest (8).
const (
	fatbinMagic  = 0xBA55ED50
	fatbinHeader = 16 // bytes
)

var errNoImage = errors.New("it is neither a fatbin nor a cubin nor PTX")
var errShort = errors.New("it is damaged or cut short")

// checkImage returns an error unless an image is a complete fatbin, a complete cubin, or PTX that ends with a zero byte.
func checkImage(image []byte) error {
	switch {
	case len(image) >= fatbinHeader && binary.LittleEndian.Uint32(image) == fatbinMagic:
		header, rest := uint64(binary.LittleEndian.Uint16(image[6:])), binary.LittleEndian.Uint64(image[8:])
		if header < fatbinHeader || header > uint64(len(image)) || rest > uint64(len(image))-header {
			return errShort
		}
		return nil
	case bytes.HasPrefix(image, []byte(elf.ELFMAG)):
		return checkELF(image)
	case bytes.Contains(image[:min(len(image), 4096)], []byte(".version")):
		if image[len(image)-1] != 0 {
			return errShort // PTX is a zero-terminated text
		}
		return nil
	}
	return errNoImage
}

// checkELF returns an error unless all sections are within the image.
func checkELF(image []byte) error {
	f, err := elf.NewFile(bytes.NewReader(image))
	if err != nil {
		return errShort
	}
	for _, s := range f.Sections {
		if s.Type != elf.SHT_NOBITS && (s.Offset > uint64(len(image)) || s.FileSize > uint64(len(image))-s.Offset) {
			return errShort
		}
	}
	return nil
}
