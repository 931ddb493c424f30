package jsonl

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// frame is the place of one Zstandard frame in a file: bytes [start,end).
type frame struct{ start, end int64 }

const (
	frameMagic   = 0xFD2FB528
	maxBlockSize = 128 << 10
)

// errTorn says that the file ends inside a frame.
var errTorn = errors.New("the file ends inside a frame")

// malformed says that bytes are no frame; it is never a failure to read them.
type malformed struct{ why string }

func (m *malformed) Error() string { return m.why }

func bad(format string, values ...any) error { return &malformed{fmt.Sprintf(format, values...)} }

// scanFrame finds the end of the frame that starts at start, from its structure alone (RFC 8878, 3.1.1), without decompressing. It returns
// errTorn when the file ends first, also when all that is left is zero bytes: that is how a file system may show an append that a power cut
// interrupted.
func scanFrame(r io.ReaderAt, start, size int64) (frame, error) {
	var header [14]byte
	given := header[:min(int64(len(header)), size-start)]
	if err := readAt(r, given, start); err != nil {
		return frame{}, err
	}
	if len(given) < 4 {
		return frame{}, tornUnlessForeign(given)
	}
	if binary.LittleEndian.Uint32(given) != frameMagic {
		zero, err := zeroToEnd(r, start, size)
		if err != nil {
			return frame{}, err
		}
		if zero {
			return frame{}, errTorn
		}
		return frame{}, bad("no Zstandard frame at byte %d", start)
	}
	if len(given) < 5 {
		return frame{}, errTorn
	}
	descriptor := given[4]
	if descriptor&0x08 != 0 {
		return frame{}, bad("frame at byte %d: reserved bit is set", start)
	}
	at := start + 5 + headerRest(descriptor)
	for last := false; !last; {
		if at+3 > size {
			return frame{}, errTorn
		}
		var block [3]byte
		if err := readAt(r, block[:], at); err != nil {
			return frame{}, err
		}
		bits := uint32(block[0]) | uint32(block[1])<<8 | uint32(block[2])<<16
		last = bits&1 != 0
		length := int64(bits >> 3)
		if length > maxBlockSize {
			return frame{}, bad("frame at byte %d: block at byte %d is too large", start, at)
		}
		switch bits >> 1 & 3 {
		case 1: // one byte, repeated
			length = 1
		case 3:
			return frame{}, bad("frame at byte %d: block at byte %d has the reserved type", start, at)
		}
		at += 3 + length
	}
	if descriptor&0x04 != 0 {
		at += 4 // checksum
	}
	if at > size {
		return frame{}, errTorn
	}
	return frame{start, at}, nil
}

// headerRest is the length of what stands between a frame's descriptor and its first block: window, dictionary id, content size.
func headerRest(descriptor byte) int64 {
	single := descriptor&0x20 != 0
	rest := int64([]int{0, 1, 2, 4}[descriptor&3])
	switch descriptor >> 6 {
	case 0:
		if single {
			rest++
		}
	case 1:
		rest += 2
	case 2:
		rest += 4
	case 3:
		rest += 8
	}
	if !single {
		rest++
	}
	return rest
}

// tornUnlessForeign judges the first bytes of a frame that ends before its magic number does.
func tornUnlessForeign(given []byte) error {
	var magic [4]byte
	binary.LittleEndian.PutUint32(magic[:], frameMagic)
	for i, b := range given {
		if b != magic[i] && b != 0 {
			return bad("no Zstandard frame: %d stray bytes at the end", len(given))
		}
	}
	return errTorn
}

func zeroToEnd(r io.ReaderAt, start, size int64) (bool, error) {
	buffer := make([]byte, 32<<10)
	for start < size {
		piece := buffer[:min(int64(len(buffer)), size-start)]
		if err := readAt(r, piece, start); err != nil {
			return false, err
		}
		for _, b := range piece {
			if b != 0 {
				return false, nil
			}
		}
		start += int64(len(piece))
	}
	return true, nil
}

func readAt(r io.ReaderAt, into []byte, at int64) error {
	n, err := r.ReadAt(into, at)
	if n == len(into) {
		return nil
	}
	if err == nil || errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF // the file has become shorter while it was read
	}
	return err
}
