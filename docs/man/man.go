// Package man holds the manual pages of signaltty, generated from its
// commands.
//
// It promises that the pages are those of this binary: CI fails when they are
// stale. It may import nothing of signaltty.
package man

import "embed"

// Pages are the pages, "signaltty.1" and one "signaltty-VERB.1" per verb.
//
//go:embed *.1
var Pages embed.FS

//go:generate go run ../../script/man .
