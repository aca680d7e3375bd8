package confine

import (
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// envPlan has the test binary limit itself and become another program.
const envPlan = "CONFINE_TEST_PLAN"

func TestMain(m *testing.M) {
	if text := os.Getenv(envPlan); text != "" {
		var p Plan
		if err := json.Unmarshal([]byte(text), &p); err != nil {
			panic(err)
		}
		if err := p.Apply(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(100)
		}
		path, err := exec.LookPath(os.Args[1])
		if err == nil {
			err = syscall.Exec(path, os.Args[1:], os.Environ())
		}
		fmt.Fprintln(os.Stderr, err)
		os.Exit(101)
	}
	os.Exit(m.Run())
}

// needsLandlock skips a test where the kernel has no Landlock, and nowhere
// else: the kernel itself is asked, not this package.
func needsLandlock(t *testing.T) {
	t.Helper()
	version, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	err := Supported(true)
	switch {
	case errno == 0 && version >= abiPorts && err != nil:
		t.Fatalf("the kernel has Landlock of version %d, and yet: %v", version, err)
	case err != nil:
		t.Skipf("this kernel has no Landlock that will do: %v", err)
	}
}

// limited runs a program that may write as p says, in dir.
func limited(t *testing.T, p Plan, dir string, argv ...string) (out string, ok bool) {
	t.Helper()
	text, err := json.Marshal(p)
	must(t, err)
	cmd := exec.Command(os.Args[0], argv...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), envPlan+"="+string(text))
	said, err := cmd.CombinedOutput()
	if cmd.ProcessState.ExitCode() >= 100 && cmd.ProcessState.ExitCode() <= 101 {
		t.Fatalf("%v: %s", argv, said)
	}
	return string(said), err == nil
}

// Every kind of change outside of what is granted is refused, by whatever
// program, and the same inside succeeds: a test that can only refuse would
// show nothing.
func TestKernelRefusesWritesOutside(t *testing.T) {
	needsLandlock(t)
	ways := []struct{ name, script, needs string }{
		{"make by redirect", `echo x > $D/new`, ""},
		{"append", `echo x >> $D/there`, ""},
		{"overwrite", `echo x > $D/there`, ""},
		{"cut to nothing", `: > $D/there`, ""},
		{"truncate", `truncate -s 0 $D/there`, ""},
		{"tee", `echo x | tee $D/there >/dev/null`, ""},
		{"cp", `cp /etc/passwd $D/new`, ""},
		{"dd", `dd if=/dev/zero of=$D/there bs=1 count=1 conv=notrunc 2>&1`, ""},
		{"mv over it", `echo x > $IN/moved && mv $IN/moved $D/there`, ""},
		{"rename within", `mv $D/there $D/other`, ""},
		{"rm", `rm $D/there`, ""},
		{"rmdir", `rmdir $D/empty`, ""},
		{"mkdir", `mkdir $D/newdir`, ""},
		{"symlink", `ln -s /etc/passwd $D/link`, ""},
		{"hard link into it", `ln $IN/own $D/hard`, ""},
		{"fifo", `mkfifo $D/fifo`, ""},
		{"sed -i", `sed -i s/t/u/ $D/there`, "sed"},
		{"install", `install /etc/passwd $D/new`, ""},
		{"tar", `tar -C /etc -cf - passwd | tar -C $D -xf -`, "tar"},
		{"git", `git init -q $D/repo`, "git"},
		{"git commit's hook", `git -C $IN/repo -c core.hooksPath=$IN/hooks -c user.name=a -c user.email=a@b commit -q --allow-empty -m x; test -e $D/hooked`, "git"},
		{"python", `python3 -c "open('$D/new', 'w').write('x')"`, "python3"},
		{"python rename", `python3 -c "import os; open('$D/there.tmp', 'w'); os.replace('$D/there.tmp', '$D/there')"`, "python3"},
		{"node", `node -e "require('fs').writeFileSync('$D/new', 'x')"`, "node"},
		{"perl", `perl -e 'open(F, ">", "'$D'/new") or die $!'`, "perl"},
		{"through a symlink", `ln -s $D $IN/way && echo x > $IN/way/new`, ""},
		{"by .. from inside", `cd $IN && echo x > $IN/../$(basename $D)/new`, ""},
		{"through /proc/self/root", `echo x > /proc/self/root$D/new`, ""},
		{"in the background, of another session", `setsid sh -c "echo x > $D/new"`, "setsid"},
		{"by a child's child", `sh -c 'sh -c "echo x > $D/new"'`, ""},
		{"through xargs", `echo $D/new | xargs touch`, ""},
		{"find -exec", `find $D/there -exec sh -c 'echo x > $D/there' \; ; grep -q x $D/there`, "find"},
		{"a program that it made", `printf '#!/bin/sh\necho x > $D/new\n' > $IN/p && chmod +x $IN/p && $IN/p`, ""},
	}
	for _, way := range ways {
		t.Run(way.name, func(t *testing.T) {
			if _, err := exec.LookPath(way.needs); way.needs != "" && err != nil {
				t.Skipf("there is no %s", way.needs)
			}
			for _, inside := range []bool{true, false} {
				dir := tree(t, "in/own=own", "in/hooks/post-commit=#!/bin/sh\necho x > $D/hooked\n", "d/there=there", "d/empty")
				must(t, os.Chmod(filepath.Join(dir, "in/hooks/post-commit"), 0o755))
				if way.needs == "git" {
					must(t, exec.Command("git", "init", "-q", filepath.Join(dir, "in/repo")).Run())
				}
				p := Plan{Dirs: []string{filepath.Join(dir, "in")}}
				if inside {
					p.Dirs = append(p.Dirs, filepath.Join(dir, "d"))
				}
				before := listing(t, filepath.Join(dir, "d"))
				script := fmt.Sprintf("export D='%s/d' IN='%s/in'; %s", dir, dir, way.script)
				out, ok := limited(t, p, dir, "sh", "-c", script)
				changed := listing(t, filepath.Join(dir, "d")) != before
				if ok != inside || changed != inside {
					t.Errorf("granted %v: ok %v, changed %v: %s", inside, ok, changed, out)
				}
			}
		})
	}
}

// listing is all that is in a directory, with its content.
func listing(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	must(t, filepath.Walk(dir, func(path string, info os.FileInfo, err error) error {
		if err != nil {
			return err
		}
		text := ""
		if info.Mode().IsRegular() {
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			text = string(data)
		}
		fmt.Fprintln(&b, path, info.Mode(), text)
		return nil
	}))
	return b.String()
}

func TestGrantedFileAndDevices(t *testing.T) {
	needsLandlock(t)
	dir := tree(t, "one=1", "two=2")
	p := Plan{Files: []string{filepath.Join(dir, "one")}}
	if out, ok := limited(t, p, dir, "sh", "-c", "echo x > one && echo x > /dev/null"); !ok {
		t.Errorf("what was granted fails: %s", out)
	}
	for _, script := range []string{"echo x > two", "rm one", "mv one three", "echo x > new"} {
		if out, ok := limited(t, p, dir, "sh", "-c", script); ok {
			t.Errorf("%q succeeds: %s", script, out)
		}
	}
}

// A limited process cannot limit itself to more, nor by a set-user-id program.
func TestLimitedForGood(t *testing.T) {
	needsLandlock(t)
	dir := tree(t, "in", "out")
	p := Plan{Dirs: []string{filepath.Join(dir, "in")}}
	out, ok := limited(t, p, dir, "sh", "-c", "grep NoNewPrivs /proc/self/status | grep -q 1")
	if !ok {
		t.Errorf("programs may gain privileges: %s", out)
	}
	more, err := json.Marshal(Plan{Dirs: []string{dir}})
	must(t, err)
	if out, ok := limited(t, p, dir, "env", envPlan+"="+string(more), os.Args[0], "sh", "-c", "echo x > out/new"); ok {
		t.Errorf("it freed itself: %s", out)
	}
}

func TestPorts(t *testing.T) {
	needsLandlock(t)
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("there is no python3")
	}
	listen := func() (uint16, string) {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		must(t, err)
		t.Cleanup(func() { l.Close() })
		port := l.Addr().(*net.TCPAddr).Port
		return uint16(port), fmt.Sprintf("import socket; socket.create_connection(('127.0.0.1', %d))", port)
	}
	allowed, connect := listen()
	_, other := listen()
	for _, test := range []struct {
		ports  []uint16
		script string
		ok     bool
	}{
		{nil, other, true},
		{[]uint16{allowed}, connect, true},
		{[]uint16{allowed}, other, false},
		{[]uint16{}, connect, false},
		{[]uint16{allowed}, "import socket; socket.socket().bind(('127.0.0.1', 0))", false},
	} {
		if out, ok := limited(t, Plan{Ports: test.ports}, t.TempDir(), python, "-c", test.script); ok != test.ok {
			t.Errorf("with %v %q: ok %v: %s", test.ports, test.script, ok, out)
		}
	}
}

// What is said not to be covered is not: were it, the list would be wrong.
func TestNotCovered(t *testing.T) {
	needsLandlock(t)
	dir := tree(t, "in", "out/f=old")
	must(t, os.Link(filepath.Join(dir, "out/f"), filepath.Join(dir, "in/f")))
	p := Plan{Dirs: []string{filepath.Join(dir, "in")}}
	for _, script := range []string{"chmod 600 out/f", "touch -d 2020-01-01 out/f", "echo new > in/f && grep -q new out/f"} {
		if out, ok := limited(t, p, dir, "sh", "-c", script); !ok {
			t.Errorf("%q is refused; take it off the list: %s", script, out)
		}
	}
}

func TestTempDirIsSwept(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	ended := exec.Command("true")
	must(t, ended.Run())
	old, err := os.MkdirTemp("", fmt.Sprintf(tempForm, ended.Process.Pid))
	must(t, err)
	must(t, os.WriteFile(filepath.Join(old, "f"), nil, 0o600))
	mine, err := TempDir()
	must(t, err)
	if _, err := os.Stat(old); !os.IsNotExist(err) {
		t.Errorf("what an ended program left is there: %v", err)
	}
	again, err := TempDir()
	must(t, err)
	for _, dir := range []string{mine, again} {
		if _, err := os.Stat(dir); err != nil {
			t.Errorf("of a living one: %v", err)
		}
	}
}

// What a limit costs at the start of a program.
func BenchmarkLimited(b *testing.B) {
	dir := b.TempDir()
	for _, p := range []struct{ name, plan string }{{"limited", `{"Dirs":["` + dir + `"]}`}, {"nothing limited", `{"Ports":null}`}} {
		b.Run(p.name, func(b *testing.B) {
			for b.Loop() {
				cmd := exec.Command(os.Args[0], "true")
				cmd.Env = append(os.Environ(), envPlan+"="+p.plan)
				if err := cmd.Run(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
