package turn

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// adopt makes orphans of the agent our children, so that they can be found
// when the turn ends (PR_SET_CHILD_SUBREAPER(2const)).
func adopt() error {
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("becoming the parent of orphans: %w", err)
	}
	return nil
}

// orphanWait bounds how long the end of what was killed is waited for. A
// process that the kernel cannot end now, it ends later.
const orphanWait = 5 * time.Second

// endOrphans kills every child of this process, until none is left, and says
// how many there were. The children of a child become ours when it ends.
func endOrphans() int {
	ended := 0
	for deadline := time.Now().Add(orphanWait); time.Now().Before(deadline); {
		list := children()
		if len(list) == 0 {
			break
		}
		for _, pid := range list {
			if unix.Kill(pid, unix.SIGKILL) != nil {
				continue
			}
			var status unix.WaitStatus
			if _, err := unix.Wait4(pid, &status, 0, nil); err == nil {
				ended++
			}
		}
	}
	return ended
}

// children are the processes whose parent is this one.
func children() []int {
	var list []int
	files, _ := filepath.Glob("/proc/self/task/*/children")
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			continue
		}
		for _, word := range bytes.Fields(text) {
			if pid, err := strconv.Atoi(string(word)); err == nil {
				list = append(list, pid)
			}
		}
	}
	return list
}
