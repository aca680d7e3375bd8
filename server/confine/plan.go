package confine

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Plan is what a process may write. The paths are absolute, and have no
// symlinks in them.
type Plan struct {
	Dirs  []string // with all that is below
	Files []string // that exist
	// Ports are the TCP ports that it may connect and listen to; nil limits
	// none, and an empty list that is not nil allows none.
	Ports []uint16
	// Widened are the grants that are larger than what was asked for.
	Widened []Widened
}

// Widened is a grant that is larger than what was asked for.
type Widened struct{ Asked, Granted, Why string }

func (w Widened) String() string {
	return fmt.Sprintf("%s is granted as all of %s: %s", w.Asked, w.Granted, w.Why)
}

// NotCovered is what a limited process can still do, for a person to read.
// Landlock has no right for it.
var NotCovered = []string{
	"reading, and running programs",
	"changing modes, owners, times and extended attributes of files anywhere (chmod, chown, touch of a file that exists, setfattr)",
	"writing through a hard link inside a granted directory that was made before, to a file that is also outside of it",
	"writing through a file that was open before it was limited",
	"what another process does for it, which it asks over a Unix socket, a pipe or D-Bus",
	"UDP, and Unix sockets",
}

const wild = "*?[{"

// Allow makes the plan for paths and globs, which are relative to dir. A path
// that is not there yet, and a glob, are granted as the deepest directory that
// is there and holds all that they mean. It is an error when that is the root
// or holds one of the paths of protected, or lies in one.
func Allow(dir string, patterns, protected []string) (Plan, error) {
	var p Plan
	for _, pattern := range patterns {
		if err := p.allow(dir, pattern); err != nil {
			return Plan{}, err
		}
	}
	for _, granted := range slices.Concat(p.Dirs, p.Files) {
		if granted == "/" {
			return Plan{}, errors.New("the root directory would be granted, which limits nothing; name the directories to write to")
		}
		for _, own := range protected {
			if own = resolved(own); inside(own, granted) || inside(granted, own) {
				return Plan{}, fmt.Errorf("%s would be granted, and with it %s, which is signaltty's own; name smaller directories", granted, own)
			}
		}
	}
	return p, nil
}

func (p *Plan) allow(dir, pattern string) error {
	if pattern == "" {
		return errors.New("an empty path allows nothing; name a directory, a file or a glob")
	}
	if !filepath.IsAbs(pattern) {
		pattern = filepath.Join(dir, pattern)
	}
	literal, rest := split(filepath.Clean(pattern))
	there, missing, info, err := deepest(literal)
	if err != nil {
		return fmt.Errorf("looking at %s: %w", pattern, err)
	}
	switch {
	case missing:
		p.Widened = append(p.Widened, Widened{pattern, there, literal + " is not there yet"})
	case rest != "" && !info.IsDir():
		return fmt.Errorf("%s can match nothing: %s is no directory", pattern, literal)
	case rest != "" && rest != "**":
		p.Widened = append(p.Widened, Widened{pattern, there, "the kernel grants whole directories"})
	case !info.IsDir():
		p.Files = append(p.Files, there)
		return nil
	}
	p.Dirs = append(p.Dirs, there)
	return nil
}

// split parts a pattern into the directories before its first glob, and the rest.
func split(pattern string) (literal, rest string) {
	parts := strings.Split(pattern, "/")
	i := slices.IndexFunc(parts, func(part string) bool { return strings.ContainsAny(part, wild) })
	if i < 0 {
		return pattern, ""
	}
	return "/" + strings.Join(parts[1:i], "/"), strings.Join(parts[i:], "/")
}

// deepest is the path, or the deepest directory above it that is there, with
// all symlinks resolved. A dangling link counts as not there, so that what is
// granted is where the link is and not where it leads.
func deepest(path string) (there string, missing bool, info fs.FileInfo, err error) {
	for ; ; path, missing = filepath.Dir(path), true {
		there, err = filepath.EvalSymlinks(path)
		if errors.Is(err, fs.ErrNotExist) && path != "/" {
			continue
		}
		if err != nil {
			return "", false, nil, err
		}
		info, err = os.Stat(there)
		return there, missing, info, err
	}
}

// resolved is a path, that need not be there, with the symlinks of what is
// there of it resolved.
func resolved(path string) string {
	path = filepath.Clean(path)
	for above := path; ; above = filepath.Dir(above) {
		if there, err := filepath.EvalSymlinks(above); err == nil {
			return filepath.Join(there, strings.TrimPrefix(path, above))
		}
		if above == filepath.Dir(above) {
			return path
		}
	}
}

// inside says that path is dir or below it.
func inside(path, dir string) bool {
	return path == dir || strings.HasPrefix(path, strings.TrimSuffix(dir, "/")+"/")
}
