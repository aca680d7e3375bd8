package server

import "golang.org/x/sys/unix"

// credentials reads SO_PEERCRED (unix(7)): who called connect, at that moment.
func credentials(fd int) (pid, uid int, err error) {
	c, err := unix.GetsockoptUcred(fd, unix.SOL_SOCKET, unix.SO_PEERCRED)
	if err != nil {
		return 0, 0, err
	}
	return int(c.Pid), int(c.Uid), nil
}
