package cuda

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"errors"
)

// The driver takes an image by its address alone, and a file that was cut short takes it beyond the end: what can be seen
// of that is looked at before.

const (
	fatbinMagic  = 0xBA55ED50
	fatbinHeader = 16 // bytes: magic, version, the header's length, the length of what follows
)

var errNoImage = errors.New("it is neither a fatbin nor a cubin nor PTX")
var errShort = errors.New("it is damaged or cut short")

// checkImage tells whether the driver can be given an image.
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
			return errShort // PTX is text with a zero behind
		}
		return nil
	}
	return errNoImage
}

// checkELF looks whether all sections lie within the file.
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
