package tree

import (
	"fmt"
	"os"
	"syscall"
)

// openPlain opens a regular file: never through a link that came to stand
// there, and never a pipe, which would wait for ever.
func openPlain(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is not a regular file any more", show(path))
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}
