//go:build !linux

package confine

import (
	"errors"
	"fmt"
	"runtime"
)

// ErrUnsupported says that the kernel cannot limit what was asked for.
var ErrUnsupported = errors.New("the kernel does not limit processes")

// Version is the version of Landlock's ABI; 0 where the kernel has none.
func Version() int { return 0 }

// Supported says whether the kernel can limit paths, and ports where those are
// asked for. The error tells what is missing.
func Supported(bool) error {
	return fmt.Errorf("%w: Landlock is of Linux, and this is %s", ErrUnsupported, runtime.GOOS)
}

// Apply limits this process, all its threads and all that it starts, for good.
// On an error nothing is limited.
func (p Plan) Apply() error { return Supported(p.Ports != nil) }
