package cli

import (
	"strings"
	"testing"

	"signaltty/server/confine"
)

func TestBubbleArgs(t *testing.T) {
	plan := confine.Plan{Dirs: []string{"/w/in"}, Files: []string{"/w/go.mod"}}
	got := strings.Join(bubbleArgs("/usr/bin/bwrap", plan, "/run/t", "/w"), " ")
	want := "/usr/bin/bwrap --die-with-parent --ro-bind / / --dev /dev --bind /w/in /w/in --bind /w/go.mod /w/go.mod " +
		"--bind /run/t /run/t --setenv TMPDIR /run/t --chdir /w --"
	if got != want {
		t.Errorf("%s", got)
	}
}
