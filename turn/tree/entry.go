package tree

import (
	"fmt"
	"io/fs"
	"os"
	"strings"
	"syscall"
	"time"
)

// entry is one path as it was seen.
type entry struct {
	mode   fs.FileMode
	size   int64
	mtime  time.Time
	ctime  time.Time
	dev    uint64
	ino    uint64
	target string // of a symbolic link
	last   bool   // ignored by Git: kept after everything else
	copy   string // where the content is kept; "" when it is not
}

// see looks at one path, not through it.
func see(path string) (entry, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return entry{}, err
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return entry{}, fmt.Errorf("%s: the system does not tell what it is", show(path))
	}
	e := entry{
		mode: info.Mode(), size: info.Size(), mtime: info.ModTime(), ctime: changeTime(st), dev: uint64(st.Dev), ino: st.Ino,
	}
	if e.mode&fs.ModeSymlink != 0 {
		e.target, err = os.Readlink(path)
	}
	return e, err
}

// same says that the system saw no change between two looks at a path. The
// change time cannot be set by a program.
func (e entry) same(o entry) bool {
	return e.mode == o.mode && e.size == o.size && e.dev == o.dev && e.ino == o.ino && e.target == o.target &&
		e.mtime.Equal(o.mtime) && e.ctime.Equal(o.ctime)
}

// perm is what of a mode is put back.
const perm = fs.ModePerm | fs.ModeSetuid | fs.ModeSetgid | fs.ModeSticky

func (e entry) kind() fs.FileMode { return e.mode.Type() }

// show is a path in a message.
func show(path string) string { return strings.ToValidUTF8(path, "�") }
