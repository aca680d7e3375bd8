package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// cpu is the time that a process has used, from /proc/PID/stat.
func cpu(pid int) (time.Duration, error) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, err
	}
	f := strings.Fields(string(b[strings.LastIndexByte(string(b), ')')+1:]))
	user, _ := strconv.Atoi(f[11])
	system, _ := strconv.Atoi(f[12])
	const tick = 10 * time.Millisecond // USER_HZ is 100 on every Linux
	return time.Duration(user+system) * tick, nil
}

// field is the number of a line such as "VmRSS: 123 kB" of a file.
func field(file, name string) (int, error) {
	b, err := os.ReadFile(file)
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(b)) {
		if rest, ok := strings.CutPrefix(line, name+":"); ok {
			return strconv.Atoi(strings.Fields(rest)[0])
		}
	}
	return 0, fmt.Errorf("%s has no %s", file, name)
}

// memory is the resident memory of a process, in MiB.
func memory(pid int) (float64, error) {
	kib, err := field(fmt.Sprintf("/proc/%d/status", pid), "VmRSS")
	return float64(kib) / 1024, err
}

// wakeups counts how often the threads of a process went to sleep, which is
// how often they were woken.
func wakeups(pid int) (n int, err error) {
	files, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/status", pid))
	for _, f := range files {
		if slept, err := field(f, "voluntary_ctxt_switches"); err == nil { // else the thread has ended
			n += slept
		}
	}
	return n, err
}
