package policy

import (
	"path"
	"slices"
	"strings"
)

// Files is what a judge asks of the file system.
type Files interface {
	// Link tells what stands at an absolute path, without following it: where
	// a symbolic link leads, or "" and whether anything is there.
	Link(path string) (target string, exists bool)
}

// maxLinks is how many symbolic links one path may go through.
const maxLinks = 40

// place is where a path leads: in its own spelling, and resolved.
type place struct {
	// paths are the places that it may be about, the resolved one last.
	paths []string
	// broken says why it leads nowhere that can be known.
	broken string
	// tree says that everything below it is touched as well.
	tree bool
}

// root is what paths are read against.
type root struct {
	home, workspace string
	files           Files
	fold            bool // the file system ignores case
}

// locate resolves a path of a call against a directory. What follows a part
// that is not known stays as it is.
func (r root) locate(dir, p string) place {
	known, rest := cutUnknown(p)
	switch {
	case dir == "" && !strings.HasPrefix(p, "/"):
		return place{paths: []string{string(unknown)}}
	case known == "" && rest != "":
		if rest[0] == unknown {
			return place{paths: []string{string(unknown)}}
		}
		known = dir // a * in the directory itself
	case !strings.HasPrefix(p, "/"):
		known = dir + "/" + known
	}
	if !strings.HasPrefix(known, "/") {
		return place{paths: []string{string(unknown)}} // the directory is not known
	}
	if strings.Contains(known, "\x00") {
		return place{paths: []string{string(unknown)}}
	}
	clean := path.Clean(known)
	real, broken := r.follow(clean)
	if strings.Contains(known, "..") {
		// The kernel takes a link before the ".." after it, agents often do not.
		if physical, b := r.follow(known); physical != real {
			return r.folded(place{paths: []string{join(clean, rest), join(real, rest), join(physical, rest)}, broken: broken + b})
		}
	}
	if clean == real {
		return r.folded(place{paths: []string{join(real, rest)}, broken: broken})
	}
	return r.folded(place{paths: []string{join(clean, rest), join(real, rest)}, broken: broken})
}

// cutUnknown parts a path before its first element that is not wholly known.
// What comes after is any text when it could lead upwards.
func cutUnknown(p string) (known, rest string) {
	i := firstUnknown(p)
	if i < 0 {
		return p, ""
	}
	cut := strings.LastIndexByte(p[:i], '/') + 1
	known, rest = p[:cut], p[cut:]
	if strings.Contains("/"+rest+"/", "/../") || strings.ContainsAny(rest, unknownMany) {
		rest = string(unknown)
	}
	if known == "" && rest[0] != unknownName && strings.IndexByte(rest, unknown) >= 0 {
		// "a$X" begins with a known byte, so it is below the directory.
		return "", string(unknownName) + rest[strings.IndexByte(rest, unknown):]
	}
	return known, rest
}

func join(dir, rest string) string {
	if rest == "" {
		return dir
	}
	return strings.TrimSuffix(dir, "/") + "/" + rest
}

func (r root) folded(p place) place {
	if r.fold {
		for i := range p.paths {
			p.paths[i] = strings.ToLower(p.paths[i])
		}
	}
	return p
}

// follow walks an absolute path as the kernel does. What does not exist yet
// is kept as it is written below its deepest existing parent. It tells when
// the path ends in a link that leads nowhere, or goes round in links.
func (r root) follow(p string) (real, broken string) {
	todo := elements(p)
	real = "/"
	links, final := 0, false // the last element is a link
	for len(todo) > 0 {
		name := todo[0]
		todo = todo[1:]
		if name == ".." {
			real = path.Dir(real)
			continue
		}
		next := path.Join(real, name)
		if magic(next) {
			return next, "it goes through /proc, whose links depend on who follows them"
		}
		target, exists := r.files.Link(next)
		switch {
		case !exists && final:
			return path.Join(append([]string{next}, todo...)...), "it is a symbolic link that leads to nothing"
		case !exists:
			// Nothing below what is missing exists either.
			return path.Join(append([]string{next}, todo...)...), ""
		case target == "":
			real = next
			continue
		}
		if links++; links > maxLinks {
			return next, "it goes round in symbolic links"
		}
		if strings.HasPrefix(target, "/") {
			real = "/"
		}
		final = final || len(todo) == 0
		todo = append(elements(target), todo...)
	}
	return real, ""
}

// elements are the names that a path goes through.
func elements(p string) []string {
	return slices.DeleteFunc(strings.Split(p, "/"), func(s string) bool { return s == "" || s == "." })
}

// magic says that a path is one of the kernel's links that lead elsewhere for
// every process.
func magic(p string) bool {
	rest, ok := strings.CutPrefix(p, "/proc/")
	if !ok {
		return false
	}
	parts := strings.Split(rest, "/")
	n := len(parts)
	switch parts[n-1] {
	case "root", "cwd", "exe":
		return n == 2 || n == 4
	}
	return n > 2 && parts[n-2] == "fd"
}

// harmlessFile says that writing to a path changes nothing.
func harmlessFile(p string) bool {
	switch p {
	case "/dev/null", "/dev/zero", "/dev/full", "/dev/stdin", "/dev/stdout", "/dev/stderr", "/dev/tty", "/dev/ptmx", "-":
		return true
	}
	for _, dir := range []string{"/dev/fd/", "/dev/pts/"} {
		if n, ok := strings.CutPrefix(p, dir); ok && n != "" && strings.Trim(n, "0123456789") == "" {
			return true
		}
	}
	return false
}

// pathGlob is a pattern of a rule.
type pathGlob struct {
	globs []glob
	// below is the literal directory that everything it matches is below.
	below []string
}

// compilePath reads a path pattern of a rule: "~" is the home directory, a
// relative one is below the workspace, one that begins with ** is anywhere.
// Its literal directory is resolved, as the paths of calls are.
func (r root) compilePath(pattern string) pathGlob {
	switch {
	case pattern == "~" || strings.HasPrefix(pattern, "~/"):
		pattern = r.home + pattern[1:]
	case strings.HasPrefix(pattern, "**"):
		pattern = "/" + pattern
	case relative(pattern) && r.workspace == "":
		pattern = "/**/" + path.Clean(pattern)
	case relative(pattern):
		pattern = r.workspace + "/" + pattern
	}
	pattern = path.Clean(pattern)
	if !strings.ContainsAny(pattern[strings.LastIndexByte(pattern, '/')+1:], "*?") {
		// What names a directory names what is in it.
		pattern = strings.TrimSuffix(pattern, "/") + "/**"
	}
	wild := strings.IndexAny(pattern, "*?")
	cut := strings.LastIndexByte(pattern[:wild], '/')
	dir, rest := path.Clean("/"+pattern[:cut]), pattern[cut+1:]
	dirs := []string{dir}
	if real, _ := r.follow(dir); real != dir {
		dirs = append(dirs, real)
	}
	var out pathGlob
	for _, d := range dirs {
		if r.fold {
			d, rest = strings.ToLower(d), strings.ToLower(rest)
		}
		out.below = append(out.below, strings.TrimSuffix(d, "/")+"/")
		for _, v := range variants(strings.TrimSuffix(d, "/") + "/" + rest) {
			out.globs = append(out.globs, compileGlob(v, false))
		}
	}
	return out
}

// relative says that a path pattern begins at the workspace.
func relative(pattern string) bool {
	return !strings.HasPrefix(pattern, "/") && pattern != "~" && !strings.HasPrefix(pattern, "~/") && !strings.HasPrefix(pattern, "**")
}

// variants spell out that ** may also be nothing: a/**/b is a/b too, and a/**
// is a itself.
func variants(pattern string) []string {
	if head, ok := strings.CutSuffix(pattern, "/**"); ok && head != "" {
		return append(variants(head), pattern)
	}
	list := []string{pattern}
	for from := 0; ; {
		i := strings.Index(pattern[from:], "/**/")
		if i < 0 || len(list) >= 8 {
			return list
		}
		from += i
		short := pattern[:from] + pattern[from+3:]
		list = append(list, variants(short)...)
		from += 3
	}
}

// against matches a place. For a deny or an ask one spelling that matches is
// enough; an allow takes where the path really leads.
func (g *pathGlob) against(p place, allow bool) match {
	if allow {
		worst := yes
		for _, s := range p.paths[min(1, len(p.paths)-1):] { // its own spelling does not count
			worst = min(worst, anyOf(g.globs, s))
			if p.tree {
				worst = min(worst, anyOf(g.globs, join(s, string(unknown))))
			}
		}
		return worst
	}
	best := no
	for _, s := range p.paths {
		best = max(best, anyOf(g.globs, s))
		if !p.tree {
			continue
		}
		dir := strings.TrimSuffix(s, "/") + "/"
		for _, below := range g.below {
			if isStatic(s) && below != "/" && strings.HasPrefix(below, dir) {
				return yes
			}
		}
	}
	return best
}
