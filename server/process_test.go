//go:build linux

package server

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"signaltty/proto"
)

// startKeeper gives a keeper whose every descriptor must be gone in the end.
func startKeeper(t *testing.T) *localKeeper {
	t.Helper()
	w := startWatcher(t)
	k, err := newKeeper(w)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { k.close() })
	return k
}

func testSpec(t *testing.T, argv ...string) spec {
	return spec{
		argv: argv, dir: t.TempDir(), size: proto.Size{Cols: 80, Lines: 24},
		env: paneEnv(os.Environ(), "p1", "/nowhere/"+t.Name(), nil),
	}
}

func start(t *testing.T, k *localKeeper, s spec) process {
	t.Helper()
	p, err := k.start(s)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.close(0) })
	return p
}

// output reads all that comes until the end.
type output struct {
	t    *testing.T
	more chan string
	text string
}

func readAll(t *testing.T, p process) *output {
	o := &output{t: t, more: make(chan string)}
	go func() {
		defer close(o.more)
		buf := make([]byte, 4096)
		for {
			n, err := p.read(buf)
			if n > 0 {
				select {
				case o.more <- string(buf[:n]):
				case <-t.Context().Done():
					return
				}
			}
			if err != nil {
				return
			}
		}
	}()
	return o
}

// until waits for a match of re in the output and gives its groups.
func (o *output) until(re string) []string {
	o.t.Helper()
	pattern := regexp.MustCompile(re)
	for {
		if m := pattern.FindStringSubmatch(o.text); m != nil {
			return m
		}
		part := within(o.t, re, o.more)
		if part == "" {
			o.t.Fatalf("output ended without %s: %q", re, o.text)
		}
		o.text += part
	}
}

// end gives the whole output.
func (o *output) end() string {
	o.t.Helper()
	for {
		part := within(o.t, "the end of the output", o.more)
		if part == "" {
			return o.text
		}
		o.text += part
	}
}

func TestProcessEnds(t *testing.T) {
	k := startKeeper(t)
	for _, c := range []struct {
		script string
		out    string
		exit   proto.Exit
	}{
		{"printf hello", "hello", proto.Exit{}},
		{"exit 3", "", proto.Exit{Code: 3}},
		{"kill -KILL $$", "", proto.Exit{Code: 137, Signal: "SIGKILL"}},
		{"stty size", "24 80\r\n", proto.Exit{}},
		{"tty >/dev/null && echo $TERM $SIGNALTTY_PANE", "xterm-256color p1\r\n", proto.Exit{}},
		{`[ "$PWD" = "$(pwd -P)" ] && echo same`, "same\r\n", proto.Exit{}},
		{"stty -a | grep -o '[-]*iutf8'", "iutf8\r\n", proto.Exit{}},
		{`ps -o sid= -p $$ | grep -qw $$ && echo leader`, "leader\r\n", proto.Exit{}},
	} {
		t.Run(c.script, func(t *testing.T) {
			p := start(t, k, testSpec(t, "sh", "-c", c.script))
			if got := readAll(t, p).end(); got != c.out {
				t.Errorf("output %q, want %q", got, c.out)
			}
			within(t, "done", p.done())
			if got := p.wait(); got != c.exit {
				t.Errorf("exit %+v, want %+v", got, c.exit)
			}
			if got := p.close(0); got != c.exit {
				t.Errorf("close gives %+v, want %+v", got, c.exit)
			}
		})
	}
}

func TestOutputAfterTheExitIsRead(t *testing.T) {
	p := start(t, startKeeper(t), testSpec(t, "sh", "-c", "head -c 3000 /dev/zero | tr '\\0' x"))
	within(t, "done", p.done())
	if got := readAll(t, p).end(); got != strings.Repeat("x", 3000) {
		t.Errorf("%d bytes were read, want 3000", len(got))
	}
}

func TestInputReachesTheProgram(t *testing.T) {
	p := start(t, startKeeper(t), testSpec(t, "cat"))
	out := readAll(t, p)
	if err := p.write([]byte("grüße\n")); err != nil {
		t.Fatal(err)
	}
	out.until("grüße\r\ngrüße\r\n")
}

func TestResizeIsOneSignal(t *testing.T) {
	s := testSpec(t, testBinary(t))
	s.env = append(s.env, testChild+"=winch")
	p := start(t, startKeeper(t), s)
	out := readAll(t, p)
	out.until("ready")
	if err := p.resize(proto.Size{Cols: 100, Lines: 30}); err != nil {
		t.Fatal(err)
	}
	out.until("100x30")
	if err := p.write([]byte("\n")); err != nil {
		t.Fatal(err)
	}
	if all := out.end(); strings.Count(all, "x30") != 1 || !strings.Contains(all, "end.") {
		t.Errorf("output %q, want one 100x30", all)
	}
}

func TestWriteNeverBlocks(t *testing.T) {
	p := start(t, startKeeper(t), testSpec(t, "sh", "-c", "stty raw -echo; echo deaf; exec sleep 1000"))
	readAll(t, p).until("deaf")
	if err := p.write(bytes.Repeat([]byte("x"), maxInput)); err != nil {
		t.Fatalf("the first 16 MiB: %v", err)
	}
	err := p.write(bytes.Repeat([]byte("y"), 1<<20))
	busy, ok := errors.AsType[*proto.Error](err)
	if !ok || busy.Code != proto.CodePaneBusy {
		t.Fatalf("got %v, want %s", err, proto.CodePaneBusy)
	}
	// What the PTY took is not counted, which is little.
	if waiting, _ := busy.Data["waiting"].(int); waiting > maxInput || waiting < maxInput-1<<20 {
		t.Errorf("%d bytes are said to wait", waiting)
	}
	wantError(t, err, "does not read", "bytes wait")
	p.close(0)
	if err := p.write([]byte("z")); !errors.Is(err, errEnded) {
		t.Errorf("after close: %v", err)
	}
	if _, err := p.read(make([]byte, 1)); err != io.EOF {
		t.Errorf("read after close: %v, want EOF", err)
	}
}

func TestStartSaysWhatIsMissing(t *testing.T) {
	k := startKeeper(t)
	dir := t.TempDir()
	write := func(name, text string, mode os.FileMode) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	write("plain", "x", 0o644)
	script := write("script", "#!/no/such/interpreter\n", 0o755)
	for _, c := range []struct {
		name string
		spec spec
		want []string
	}{
		{"not on PATH", spec{argv: []string{"codex"}, dir: dir, env: []string{"PATH=" + dir + ":."}}, []string{"codex is not on PATH (" + dir + ":.)", "full path"}},
		{"not executable", spec{argv: []string{"plain"}, dir: dir, env: []string{"PATH=" + dir}}, []string{"not on PATH", "not executable"}},
		{"the pane's PATH, not the server's", spec{argv: []string{"sh"}, dir: dir, env: []string{"PATH=" + dir}}, []string{"sh is not on PATH"}},
		{"a path to nothing", spec{argv: []string{"./nothing"}, dir: dir}, []string{filepath.Join(dir, "nothing"), "does not exist"}},
		{"a directory", spec{argv: []string{dir}, dir: dir}, []string{"it is a directory"}},
		{"no interpreter", spec{argv: []string{script}, dir: dir}, []string{"interpreter does not exist"}},
		{"no program", spec{dir: dir}, []string{"no program"}},
		{"no directory", spec{argv: []string{"/bin/sh"}, dir: dir + "/gone"}, []string{"the directory " + dir + "/gone does not exist"}},
		{"a file as directory", spec{argv: []string{"/bin/sh"}, dir: script}, []string{script + " is not a directory"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := k.start(c.spec)
			wantError(t, err, c.want...)
			if e, ok := errors.AsType[*proto.Error](err); !ok || e.Code != proto.CodeSpawn {
				t.Errorf("the error is %T %v, want code %s", err, err, proto.CodeSpawn)
			}
		})
	}
}

// TestCloseEndsGrandchildren covers processes that ignore all but SIGKILL, in
// the places where they can be.
func TestCloseEndsGrandchildren(t *testing.T) {
	for _, c := range []struct{ name, script string }{
		{"a child in the group", `"$0" & wait`},
		{"a child in its own session", `setsid "$0" & wait`},
		{"an orphan in its own session", `(setsid "$0" &) ; sleep 1000`},
		{"an orphan without our environment", `(env -u SIGNALTTY_PANE "$0" &) ; sleep 1000`},
		{"an orphan after its leader has ended", `(setsid "$0" &) ; sleep 0.2`},
		{"a stopped child", `"$0" & kill -STOP $!; wait`},
		{"a leader that ignores it too", `trap "" HUP TERM; while :; do "$0"; done`},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := testSpec(t, "sh", "-c", c.script, testBinary(t))
			s.env = append(s.env, testChild+"=stubborn")
			p := start(t, startKeeper(t), s)
			var pid int
			if c.name == "a stopped child" {
				eventually(t, "the child", func() bool { return len(childrenOf(p.pid())) > 0 })
				pid = childrenOf(p.pid())[0]
			} else {
				pid, _ = strconv.Atoi(readAll(t, p).until(`pid (\d+)\.`)[1])
			}
			if strings.Contains(c.name, "has ended") {
				within(t, "the leader's end", p.done())
			}
			p.close(20 * time.Millisecond)
			if found, err := readProc(pid); err == nil && !found.dead {
				t.Errorf("process %d is still there", pid)
			}
		})
	}
}

func TestCloseIsAHangup(t *testing.T) {
	p := start(t, startKeeper(t), testSpec(t, "sh", "-c", `trap 'echo bye; exit 5' HUP; echo up; while :; do sleep 0.01; done`))
	out := readAll(t, p)
	out.until("up")
	if got, want := p.close(patience), (proto.Exit{Code: 5}); got != want {
		t.Errorf("exit %+v, want %+v", got, want)
	}
	if got := p.close(0); got != p.wait() {
		t.Errorf("the second close gives %+v", got)
	}
}

func TestCloseLeavesOtherPanesAlone(t *testing.T) {
	k := startKeeper(t)
	one, two := testSpec(t, "sh", "-c", `(setsid sleep 1000 &) ; sleep 1000`), testSpec(t, "cat")
	two.env = paneEnv(os.Environ(), "p2", "/nowhere/"+t.Name(), nil)
	p1, p2 := start(t, k, one), start(t, k, two)
	p1.close(0)
	out := readAll(t, p2)
	if err := p2.write([]byte("here\n")); err != nil {
		t.Fatal(err)
	}
	out.until("here")
}

func TestNothingLeaks(t *testing.T) {
	k := startKeeper(t)
	start(t, k, testSpec(t, "true")).close(0) // what the runtime opens once
	before := openFiles(t)
	for range 10 {
		p := start(t, k, testSpec(t, "sh", "-c", "ls /proc/self/fd"))
		// 0, 1, 2 and the directory itself.
		if got := strings.Fields(readAll(t, p).end()); len(got) != 4 {
			t.Errorf("the child has %v open", got)
		}
		p.close(0)
		if _, err := k.start(spec{argv: []string{"no-such-program"}, dir: "/"}); err == nil {
			t.Error("no error")
		}
	}
	// The reaper opens files too, for a moment.
	eventually(t, "the files to be closed", func() bool { return openFiles(t) <= before })
	if len(k.held) != 0 || len(k.reap.own) != 0 {
		t.Errorf("held %v, own %v", k.held, k.reap.own)
	}
}

func openFiles(t *testing.T) int {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(entries)
}

func TestKeeperCloseEndsAll(t *testing.T) {
	k := startKeeper(t)
	var all []process
	for range 5 {
		all = append(all, start(t, k, testSpec(t, "sleep", "1000")))
	}
	if err := k.close(); err != nil {
		t.Fatal(err)
	}
	for _, p := range all {
		if got := p.wait(); got.Signal != "SIGHUP" {
			t.Errorf("exit %+v, want SIGHUP", got)
		}
	}
	_, err := k.start(testSpec(t, "true"))
	wantError(t, err, "starts no more panes")
}

func TestInheritedFilesAreKept(t *testing.T) {
	f, err := os.Open("/")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := unix.FcntlInt(f.Fd(), unix.F_SETFD, 0); err != nil {
		t.Fatal(err)
	}
	p := start(t, startKeeper(t), testSpec(t, "ls", "/proc/self/fd"))
	if got := strings.Fields(readAll(t, p).end()); len(got) != 4 {
		t.Errorf("the child has %v open", got)
	}
}
