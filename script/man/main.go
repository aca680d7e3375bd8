// Command man writes the manual pages of signaltty into a directory.
//
// It owns nothing, and may import cli: the pages are made from its commands.
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"signaltty/cli"

	"github.com/spf13/cobra/doc"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: man DIR")
		os.Exit(2)
	}
	if err := write(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "man:", err)
		os.Exit(1)
	}
}

// write replaces the pages in dir, so that the page of a verb that is gone goes too.
func write(dir string) error {
	old, err := filepath.Glob(filepath.Join(dir, "*.1"))
	if err != nil {
		return fmt.Errorf("finding the old pages: %w", err)
	}
	for _, page := range old {
		if err := os.Remove(page); err != nil {
			return fmt.Errorf("removing an old page: %w", err)
		}
	}
	root := cli.Root()
	root.InitDefaultCompletionCmd()
	root.InitDefaultHelpCmd()
	// A date that does not move keeps the pages the same from one day to the next.
	date := time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)
	header := &doc.GenManHeader{Section: "1", Date: &date, Source: "signaltty", Manual: "signaltty manual"}
	if err := doc.GenManTree(root, header, dir); err != nil {
		return fmt.Errorf("writing the pages: %w", err)
	}
	return nil
}
