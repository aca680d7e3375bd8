package server

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// becomeSubreaper makes orphans of our descendants our children, instead of
// init's (PR_SET_CHILD_SUBREAPER(2const)).
func becomeSubreaper() error {
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("becoming the parent of orphans: %w", err)
	}
	return nil
}
