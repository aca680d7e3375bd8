// Command signaltty runs coding agents in terminal panes and brings every
// question that they ask to one decision bar.
package main

import (
	"os"

	"signaltty/cli"
)

func main() { os.Exit(cli.Main()) }
