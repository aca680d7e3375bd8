package server

import (
	"encoding/binary"
	"fmt"
	"strings"

	"golang.org/x/sys/unix"
)

// zombie is SZOMB of sys/proc.h.
const zombie = 5

// readProc asks sysctl kern.proc.pid. A start time is in microseconds.
func readProc(pid int) (proc, error) {
	k, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil {
		return proc{}, fmt.Errorf("reading process %d: %w", pid, err)
	}
	if int(k.Proc.P_pid) != pid {
		return proc{}, fmt.Errorf("reading process %d: %w", pid, unix.ESRCH)
	}
	return fromKinfo(k), nil
}

func fromKinfo(k *unix.KinfoProc) proc {
	pid := int(k.Proc.P_pid)
	session, _ := unix.Getsid(pid)
	return proc{
		id: procID{
			pid:   pid,
			start: uint64(k.Proc.P_starttime.Sec)*1e6 + uint64(k.Proc.P_starttime.Usec),
		},
		parent:  int(k.Eproc.Ppid),
		session: session,
		comm:    unix.ByteSliceToString(k.Proc.P_comm[:]),
		dead:    k.Proc.P_stat == zombie,
	}
}

// programOf gives the executable's path ("" when it is another user's) and
// the arguments of a process.
func programOf(pid int) (exe string, argv []string) {
	exe, argv, _, err := procArgs(pid)
	if err != nil {
		return "", nil
	}
	return exe, argv
}

// cwdOf gives the directory that a process works in. No sysctl tells it.
func cwdOf(int) string { return "" }

// environOf gives the environment that a process was started with.
func environOf(pid int) ([]string, error) {
	_, _, env, err := procArgs(pid)
	if err != nil {
		return nil, fmt.Errorf("reading the environment of process %d: %w", pid, err)
	}
	return env, nil
}

// procArgs reads kern.procargs2: the number of arguments, the executable's
// path, padding, the arguments and the environment, each ended by a zero.
func procArgs(pid int) (exe string, argv, env []string, err error) {
	data, err := unix.SysctlRaw("kern.procargs2", pid)
	if err != nil {
		return "", nil, nil, err
	}
	if len(data) < 4 {
		return "", nil, nil, unix.EINVAL
	}
	n := int(binary.NativeEndian.Uint32(data))
	exe, rest, _ := strings.Cut(string(data[4:]), "\x00")
	words := strings.Split(strings.TrimLeft(rest, "\x00"), "\x00")
	if n < 0 || n > len(words) {
		return "", nil, nil, unix.EINVAL
	}
	argv, words = words[:n], words[n:]
	for _, word := range words {
		if word == "" {
			break
		}
		env = append(env, word)
	}
	return exe, argv, env, nil
}

// childrenOf lists the children of a process.
func childrenOf(pid int) []int {
	all, err := unix.SysctlKinfoProcSlice("kern.proc.all")
	if err != nil {
		return nil
	}
	var children []int
	for i := range all {
		if int(all[i].Eproc.Ppid) == pid {
			children = append(children, int(all[i].Proc.P_pid))
		}
	}
	return children
}
