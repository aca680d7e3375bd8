package confine

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/landlock-lsm/go-landlock/landlock"
	abi "github.com/landlock-lsm/go-landlock/landlock/syscall"
)

// ErrUnsupported says that the kernel cannot limit what was asked for.
var ErrUnsupported = errors.New("the kernel does not limit processes")

// The ABI versions of Landlock that are needed: with the third, cutting a file
// to nothing is a write, and with the fourth there are ports (Linux 6.2, 6.7).
const (
	abiPaths = 3
	abiPorts = 4
)

// Version is the version of Landlock's ABI; 0 where the kernel has none.
func Version() int {
	v, err := abi.LandlockGetABIVersion()
	if err != nil {
		return 0
	}
	return v
}

// Supported says whether the kernel can limit paths, and ports where those are
// asked for. The error tells what is missing.
func Supported(ports bool) error {
	v := Version()
	switch {
	case v == 0:
		return fmt.Errorf("%w: it has no Landlock, or it is not switched on (lsm=landlock)", ErrUnsupported)
	case v < abiPaths:
		return fmt.Errorf("%w: its Landlock is of version %d, and paths need %d (Linux 6.2)", ErrUnsupported, v, abiPaths)
	case ports && v < abiPorts:
		return fmt.Errorf("%w: its Landlock is of version %d, and ports need %d (Linux 6.7)", ErrUnsupported, v, abiPorts)
	}
	return nil
}

const (
	writeFile = abi.AccessFSWriteFile | abi.AccessFSTruncate
	// write are all the rights by which a directory tree changes. Reading and
	// running are not limited, so that nothing else than writes can fail.
	write = writeFile | abi.AccessFSRemoveDir | abi.AccessFSRemoveFile | abi.AccessFSMakeChar | abi.AccessFSMakeDir | abi.AccessFSMakeReg |
		abi.AccessFSMakeSock | abi.AccessFSMakeFifo | abi.AccessFSMakeBlock | abi.AccessFSMakeSym | abi.AccessFSRefer
)

// devices are files that everything writes to and that keep nothing.
var devices = []string{"/dev/null", "/dev/zero", "/dev/full", "/dev/tty"}

// Apply limits this process, all its threads and all that it starts, for good.
// On an error nothing is limited.
func (p Plan) Apply() error {
	if err := Supported(p.Ports != nil); err != nil {
		return err
	}
	c := landlock.Config{HandledAccessFS: write}
	rules := []landlock.Rule{
		landlock.PathAccess(write, p.Dirs...),
		landlock.PathAccess(writeFile, p.Files...),
		landlock.PathAccess(writeFile, slices.Concat(devices, terminals())...).IgnoreIfMissing(),
	}
	if p.Ports != nil {
		c.HandledAccessNet = abi.AccessNetConnectTCP | abi.AccessNetBindTCP
		for _, port := range p.Ports {
			rules = append(rules, landlock.ConnectTCP(port), landlock.BindTCP(port))
		}
	}
	if err := c.Restrict(rules...); err != nil {
		return fmt.Errorf("limiting what may be written: %w", err)
	}
	return nil
}

// terminals are the PTYs that this process has as its standard files.
func terminals() []string {
	var paths []string
	for fd := range 3 {
		path, err := os.Readlink(fmt.Sprintf("/proc/self/fd/%d", fd))
		if err == nil && strings.HasPrefix(path, "/dev/pts/") {
			paths = append(paths, path)
		}
	}
	return paths
}
