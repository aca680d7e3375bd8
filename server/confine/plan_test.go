package confine

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// tree makes directories, files (name=text) and links (name->target).
func tree(t *testing.T, entries ...string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	for _, e := range entries {
		if link, target, ok := strings.Cut(e, "->"); ok {
			must(t, os.Symlink(target, filepath.Join(dir, link)))
			continue
		}
		name, text, isFile := strings.Cut(e, "=")
		path := filepath.Join(dir, name)
		must(t, os.MkdirAll(filepath.Dir(path), 0o755))
		if isFile {
			must(t, os.WriteFile(path, []byte(text), 0o644))
		} else {
			must(t, os.MkdirAll(path, 0o755))
		}
	}
	return dir
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestAllow(t *testing.T) {
	dir := tree(t, "src/app", "src/a.go=", "out", "link->src/app", "dangling->nowhere/x", "a[1]=")
	for _, test := range []struct {
		pattern string
		dirs    string // below dir
		files   string
		widened string // what is granted, and part of why
	}{
		{"src", "src", "", ""},
		{"./src/../out", "out", "", ""},
		{"src/**", "src", "", ""},
		{"src/", "src", "", ""},
		{"src/a.go", "", "src/a.go", ""},
		{"link", "src/app", "", ""},
		{"link/*.go", "src/app", "", "src/app: the kernel grants whole directories"},
		{"src/**/*.go", "src", "", "src: the kernel grants whole directories"},
		{"src/*", "src", "", "src: the kernel grants whole directories"},
		{"src/app/{a,b}.txt", "src/app", "", "src/app: the kernel grants whole directories"},
		{"src/app/new/deep/file", "src/app", "", "src/app: "},
		{"src/none/**", "src", "", "src: "},
		{"dangling", ".", "", ": "},
		{"*.txt", ".", "", ": the kernel grants whole directories"},
		{"a[1]", ".", "", ": the kernel grants whole directories"},
	} {
		p, err := Allow(dir, []string{test.pattern}, nil)
		if err != nil {
			t.Errorf("%s: %v", test.pattern, err)
			continue
		}
		below := func(paths []string) string {
			var out []string
			for _, path := range paths {
				rel, err := filepath.Rel(dir, path)
				must(t, err)
				out = append(out, rel)
			}
			return strings.Join(out, " ")
		}
		if below(p.Dirs) != test.dirs || below(p.Files) != test.files {
			t.Errorf("%s grants %v %v", test.pattern, p.Dirs, p.Files)
		}
		if got := fmt.Sprint(p.Widened); test.widened == "" && len(p.Widened) > 0 || !strings.Contains(got, test.widened) {
			t.Errorf("%s widened %s", test.pattern, got)
		}
	}
}

func TestAllowRefuses(t *testing.T) {
	dir := tree(t, "home/state/signaltty", "home/work", "file=", "way->home/state")
	own := []string{filepath.Join(dir, "home/state/signaltty"), filepath.Join(dir, "home/run/not-there")}
	for _, test := range []struct{ pattern, want string }{
		{"/", "root directory"},
		{"/*", "root directory"},
		{"/no-such-directory-at-all", "root directory"},
		{"", "empty path"},
		{"home", "signaltty's own"},
		{"home/state", "signaltty's own"},
		{"home/state/signaltty/deeper", "signaltty's own"},
		{"way/signaltty", "signaltty's own"},
		{"home/run/**", "signaltty's own"},
		{"file/*", "is no directory"},
		{"file/x", "not a directory"},
	} {
		_, err := Allow(dir, []string{"home/work", test.pattern}, own)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%q: %v, want %q", test.pattern, err, test.want)
		}
	}
}

// Whatever is asked for, what is granted holds the part of it before the globs.
func FuzzAllow(f *testing.F) {
	for _, s := range []string{"a/b", "../x", "/tmp/*", "a//b/**", "{", "[", "\x00", "src/./../*"} {
		f.Add(s)
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, pattern string) {
		p, err := Allow(dir, []string{pattern}, nil)
		if err != nil {
			return
		}
		for _, granted := range slices.Concat(p.Dirs, p.Files) {
			if !filepath.IsAbs(granted) || granted == "/" || granted != filepath.Clean(granted) {
				t.Errorf("%q grants %q", pattern, granted)
			}
		}
	})
}
