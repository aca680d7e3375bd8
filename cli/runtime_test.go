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

func TestContainerArgs(t *testing.T) {
	at := runtimePlace{
		self: "/usr/bin/signaltty", dir: "/w", files: "/run/t", socket: "/run/s.sock", image: "agents:1",
		env: []string{"PATH=/bin", "ANTHROPIC_API_KEY=k", "SIGNALTTY_PANE=p1"},
	}
	plan := confine.Plan{Dirs: []string{"/w/in"}, Files: []string{"/w/go.mod"}}
	const mounts = " --volume /w:/w:ro --volume /w/in:/w/in --volume /w/go.mod:/w/go.mod --volume /run/t:/run/t --volume /usr/bin/signaltty:/usr/bin/signaltty:ro " +
		"--volume /run/s.sock:/run/s.sock --env ANTHROPIC_API_KEY --env SIGNALTTY_PANE --env SIGNALTTY_SOCKET=/run/s.sock --env TMPDIR=/run/t/tmp agents:1"
	for program, who := range map[string]string{"docker": "--user 7:8", "podman": "--userns keep-id"} {
		got := strings.Join(containerArgs("/usr/bin/"+program, program, at, plan, 7, 8), " ")
		if want := "/usr/bin/" + program + " run --rm --interactive --init --workdir /w " + who + mounts; got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}
