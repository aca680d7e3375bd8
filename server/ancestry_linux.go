package server

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Caps on what is read of a foreign process. An environment beyond its cap
// counts as unreadable, since a marker could hide behind it.
const (
	maxCmdline = 64 << 10
	maxEnviron = 4 << 20
)

// readProc reads /proc/PID/stat (proc(5)). A start time is in clock ticks
// since boot.
func readProc(pid int) (proc, error) {
	data, err := os.ReadFile(procPath(pid, "stat"))
	if err != nil {
		return proc{}, fmt.Errorf("reading process %d: %w", pid, err)
	}
	return parseStat(pid, data)
}

func parseStat(pid int, data []byte) (proc, error) {
	// The name stands in parentheses and may contain any byte, those too.
	open, end := bytes.IndexByte(data, '('), bytes.LastIndexByte(data, ')')
	if open < 0 || end < open {
		return proc{}, fmt.Errorf("reading process %d: its stat line has no name", pid)
	}
	f := strings.Fields(string(data[end+1:])) // from field 3, the state, on
	if len(f) < 20 {
		return proc{}, fmt.Errorf("reading process %d: its stat line is short", pid)
	}
	p := proc{id: procID{pid: pid}, comm: string(data[open+1 : end]), dead: f[0] == "Z" || f[0] == "X"}
	var err error
	if p.parent, err = strconv.Atoi(f[1]); err != nil {
		return proc{}, fmt.Errorf("reading process %d: parent: %w", pid, err)
	}
	if p.session, err = strconv.Atoi(f[3]); err != nil {
		return proc{}, fmt.Errorf("reading process %d: session: %w", pid, err)
	}
	if p.id.start, err = strconv.ParseUint(f[19], 10, 64); err != nil {
		return proc{}, fmt.Errorf("reading process %d: start time: %w", pid, err)
	}
	return p, nil
}

// programOf gives the executable's path ("" when it is another user's) and
// the arguments of a process.
func programOf(pid int) (exe string, argv []string) {
	exe, _ = os.Readlink(procPath(pid, "exe"))
	data, err := readCapped(procPath(pid, "cmdline"), maxCmdline)
	if err != nil && len(data) == 0 {
		return exe, nil
	}
	return strings.TrimSuffix(exe, " (deleted)"), splitNUL(data)
}

// cwdOf gives the directory that a process works in; "" when it is another
// user's, has ended, or works in a directory that is gone.
func cwdOf(pid int) string {
	dir, err := os.Readlink(procPath(pid, "cwd"))
	if err != nil || !filepath.IsAbs(dir) || strings.HasSuffix(dir, " (deleted)") {
		return ""
	}
	return dir
}

// environOf gives the environment that a process was started with.
func environOf(pid int) ([]string, error) {
	data, err := readCapped(procPath(pid, "environ"), maxEnviron)
	if err != nil {
		return nil, fmt.Errorf("reading the environment of process %d: %w", pid, err)
	}
	return splitNUL(data), nil
}

// childrenOf lists the children of a process, by each of its threads. A child
// that comes or goes meanwhile may be missed (proc(5)).
func childrenOf(pid int) []int {
	lists, _ := filepath.Glob(procPath(pid, "task/*/children"))
	var children []int
	for _, list := range lists {
		data, err := os.ReadFile(list)
		if err != nil {
			continue // the thread has ended
		}
		for word := range strings.FieldsSeq(string(data)) {
			if child, err := strconv.Atoi(word); err == nil {
				children = append(children, child)
			}
		}
	}
	return children
}

func procPath(pid int, name string) string {
	return "/proc/" + strconv.Itoa(pid) + "/" + name
}

// readCapped reads a file that must not be longer than limit; of a longer one
// it gives the beginning and an error.
func readCapped(path string, limit int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(data)) > limit {
		return data[:limit], fmt.Errorf("%s is longer than %d bytes", path, limit)
	}
	return data, err
}

func splitNUL(data []byte) []string {
	text := strings.TrimSuffix(string(data), "\x00")
	if text == "" {
		return nil
	}
	return strings.Split(text, "\x00")
}
