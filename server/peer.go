package server

import (
	"errors"
	"fmt"
	"net"
	"os"
)

// errForeignUID says that another user's process connected. It is hung up on.
var errForeignUID = errors.New("the connection comes from another user")

// peer is the process at the other end of a connection, as the kernel tells.
type peer struct {
	procID // without start when the process was gone before it was read
	uid    int
}

// peerOf tells who connected; call it as soon as the connection is accepted,
// since the kernel keeps the pid only. The error is errForeignUID, with the
// peer, when that is not this user.
func peerOf(c net.Conn) (peer, error) {
	u, ok := c.(*net.UnixConn)
	if !ok {
		return peer{}, fmt.Errorf("finding the peer of a %T: it is no Unix socket", c)
	}
	raw, err := u.SyscallConn()
	if err != nil {
		return peer{}, fmt.Errorf("finding the peer: %w", err)
	}
	var p peer
	var credErr error
	err = raw.Control(func(fd uintptr) { p.pid, p.uid, credErr = credentials(int(fd)) })
	if err := errors.Join(err, credErr); err != nil {
		return peer{}, fmt.Errorf("finding the peer: %w", err)
	}
	if p.uid != os.Getuid() {
		return p, errForeignUID
	}
	if found, err := readProc(p.pid); err == nil {
		p.procID = found.id
	}
	return p, nil
}
