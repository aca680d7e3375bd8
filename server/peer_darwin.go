package server

import "golang.org/x/sys/unix"

// credentials reads LOCAL_PEERCRED and LOCAL_PEERPID (sys/un.h).
func credentials(fd int) (pid, uid int, err error) {
	c, err := unix.GetsockoptXucred(fd, unix.SOL_LOCAL, unix.LOCAL_PEERCRED)
	if err != nil {
		return 0, 0, err
	}
	pid, err = unix.GetsockoptInt(fd, unix.SOL_LOCAL, unix.LOCAL_PEERPID)
	return pid, int(c.Uid), err
}
