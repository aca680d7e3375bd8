package policy

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"signaltty/proto"
)

// command is a simple command, as far as it is known.
type command struct {
	argv []string
	base string // the program's name without its directory
	in   input
}

// simple walks a simple command and says where the code is when it succeeded.
func (w *walk) simple(c *syntax.CallExpr, in input) []string {
	for _, a := range c.Args {
		w.substitutions(a)
	}
	argv := w.words(c.Args)
	w.assign(c.Assigns, len(argv) == 0)
	if len(argv) == 0 {
		return w.now
	}
	if changesDir(argv[0]) {
		return w.changeDir(argv)
	}
	w.run(argv, in)
	return w.now
}

// run notes what a simple command touches.
func (w *walk) run(argv []string, in input) {
	if len(argv) == 0 || len(w.list) >= maxTouch {
		return
	}
	if w.depth++; w.depth > maxNested {
		w.unclear("it nests commands more than %d deep", maxNested)
		return
	}
	defer func() { w.depth-- }()
	if w.funcs[argv[0]] {
		return // its body is walked by itself
	}
	c := command{argv: argv, base: path.Base(argv[0]), in: in}
	if !isStatic(argv[0]) {
		w.list = append(w.list, access{tool: proto.ToolRun, argv: argv, bare: argv,
			unclear: "which program it runs is known only when it runs"})
		return
	}
	if (c.base == "shopt" || c.base == "setopt") && strings.Contains(strings.ToLower(strings.Join(argv, " ")), "glob") {
		w.unclear("%s changes what * takes", c.base)
	}
	p, known := programs()[c.base]
	w.list = append(w.list, access{tool: proto.ToolRun, argv: argv, bare: p.bare(argv), implied: p.wraps})
	switch {
	case p.do != nil:
		p.do(w, c)
	case known:
		w.files(c, p)
	default:
		w.given(c)
	}
	if len(w.list) >= maxTouch {
		w.unclear("it touches more than %d things", maxTouch)
	}
}

// bare is a command without the options before its verb that do not change
// what it does.
func (p program) bare(argv []string) []string {
	if p.strip == nil {
		return argv
	}
	return p.strip(argv)
}

// read and edit note a path that a command touches.
func (w *walk) read(c command, paths ...string) { w.path(c, proto.ToolRead, false, paths) }
func (w *walk) edit(c command, paths ...string) { w.path(c, proto.ToolEdit, false, paths) }

// editTree notes paths that are touched with everything below them.
func (w *walk) editTree(c command, paths ...string) { w.path(c, proto.ToolEdit, true, paths) }

func (w *walk) path(c command, tool string, tree bool, paths []string) {
	for _, p := range paths {
		if harmlessFile(p) {
			continue
		}
		for _, pl := range w.places(p) {
			pl.tree = tree
			a := access{tool: tool, argv: c.argv, bare: c.argv, place: pl}
			a.implied = tool == proto.ToolRead && w.root.inside(pl)
			w.list = append(w.list, a)
		}
	}
}

// places are what a path may be, from each directory that the code may be in.
func (w *walk) places(p string) []place {
	if p == unknownMany {
		p = string(unknown)
	}
	p = strings.ReplaceAll(p, unknownMany, string(unknown))
	if strings.HasPrefix(p, "/") {
		return []place{w.root.locate("/", p)}
	}
	if w.now == nil {
		return []place{{paths: []string{string(unknown)}}}
	}
	var list []place
	for _, dir := range w.now {
		list = append(list, w.root.locate(dir, p))
	}
	return list
}

// inside says that a place is surely in the workspace.
func (r root) inside(p place) bool {
	ws := r.workspace
	if ws == "" || ws == "/" {
		return false
	}
	for _, s := range p.paths {
		if s != ws && !strings.HasPrefix(s, ws+"/") || strings.IndexByte(s, unknown) >= 0 {
			return false
		}
	}
	return true
}

// given notes the arguments of an unlisted program that look like paths: it
// may read or change them, or only be told their names.
func (w *walk) given(c command) {
	for _, a := range c.argv[1:] {
		switch _, v, ok := strings.Cut(a, "="); {
		case ok && strings.HasPrefix(a, "-"):
			a = v
		case len(a) > 2 && a[0] == '-' && a[1] != '-':
			a = a[2:] // -o/etc
		}
		w.maybe(c, a)
	}
}

// given is what is in the input of a tool whose doings are not known: it may
// read or change those paths and reach that host, or only be told of them.
func (r root) given(a Ask) []access {
	var list []access
	for _, p := range a.Call.Paths {
		if strings.HasPrefix(p, "~/") {
			p = r.home + p[1:]
		}
		for _, tool := range []string{proto.ToolRead, proto.ToolEdit} {
			list = append(list, access{tool: tool, name: a.Call.Name, place: r.locate(a.Cwd, p), soft: true, implied: true})
		}
	}
	if a.Call.URL != "" {
		list = append(list, access{tool: proto.ToolFetch, name: a.Call.Name, host: hostOf(a.Call.URL), soft: true, implied: true})
	}
	return list
}

// maybe notes an argument that may be a path which is read or changed.
func (w *walk) maybe(c command, a string) {
	if !looksLikePath(a) {
		return
	}
	for _, pl := range w.places(a) {
		for _, tool := range []string{proto.ToolRead, proto.ToolEdit} {
			w.list = append(w.list, access{tool: tool, argv: c.argv, bare: c.argv, place: pl, soft: true, implied: true})
		}
	}
}

// others notes the values of a listed program's long options, whatever those
// are: the lists of what options name files are not complete. Options that
// only leave paths out touch none.
func (w *walk) others(c command) {
	for _, a := range c.argv[1:] {
		name, value, ok := strings.Cut(a, "=")
		if ok && strings.HasPrefix(name, "--") && !strings.Contains(name, "exclude") && !strings.Contains(name, "ignore") && !strings.Contains(name, "glob") {
			w.maybe(c, value)
		}
	}
}

func looksLikePath(s string) bool {
	if !isStatic(s) || strings.ContainsAny(s, " \t\n\"'") || strings.Contains(s, "://") || strings.HasPrefix(s, "-") {
		return false
	}
	return strings.Contains(s, "/") || strings.HasPrefix(s, ".")
}

// host notes a host that a command reaches.
func (w *walk) host(c command, host string) {
	w.list = append(w.list, access{tool: proto.ToolFetch, argv: c.argv, bare: c.argv, host: host})
}

// redirects notes the files that a statement writes and reads, and returns
// what it has on its standard input.
func (w *walk) redirects(list []*syntax.Redirect, in input) input {
	for _, r := range list {
		if r.Word != nil {
			w.substitutions(r.Word)
		}
		if r.Hdoc != nil {
			w.substitutions(r.Hdoc)
		}
		c := command{argv: []string{r.Op.String()}}
		switch r.Op {
		case syntax.Hdoc, syntax.DashHdoc, syntax.WordHdoc:
			in = w.here(r, in)
		case syntax.DplIn:
		case syntax.RdrIn:
			if p := w.one(r.Word); !w.connection(c, p) {
				w.read(c, p)
			}
			in = input{from: "a file"}
		case syntax.DplOut:
			if t := w.one(r.Word); t != "-" && strings.Trim(t, "0123456789-") != "" {
				w.target(c, t) // >& file
			}
		default:
			w.target(c, w.one(r.Word))
		}
	}
	return in
}

// target notes what a redirect writes to: a file, or a connection of bash's own.
func (w *walk) target(c command, p string) {
	if !w.connection(c, p) {
		w.edit(c, p)
	}
}

// connection notes the host of one of bash's own connections.
func (w *walk) connection(c command, p string) bool {
	for _, net := range []string{"/dev/tcp/", "/dev/udp/"} {
		if rest, ok := strings.CutPrefix(p, net); ok {
			host, _, _ := strings.Cut(rest, "/")
			w.host(c, host)
			return true
		}
	}
	return false
}

// here is the text of a here-document, which is data: only an interpreter
// that reads it makes it code.
func (w *walk) here(r *syntax.Redirect, in input) input {
	word := r.Hdoc
	if r.Op == syntax.WordHdoc {
		return input{text: w.one(r.Word), from: "text"}
	}
	if word == nil {
		return in
	}
	quoted := false
	for _, p := range r.Word.Parts {
		l, ok := p.(*syntax.Lit)
		quoted = quoted || !ok || strings.Contains(l.Value, "\\")
	}
	var b strings.Builder
	for _, p := range word.Parts {
		switch l, ok := p.(*syntax.Lit); {
		case ok && quoted:
			b.WriteString(l.Value)
		case ok:
			b.WriteString(unescape(l.Value))
		default:
			text, _ := w.part(p)
			b.WriteString(text)
		}
	}
	return input{text: b.String(), from: "text"}
}

func changesDir(name string) bool {
	return slices.Contains([]string{"cd", "pushd", "popd", "chdir"}, name)
}

// changeDir follows a change of the directory and returns where the code is
// when it succeeded.
func (w *walk) changeDir(argv []string) []string {
	c := command{argv: argv, base: argv[0]}
	w.list = append(w.list, access{tool: proto.ToolRun, argv: argv, bare: argv, implied: true})
	to := ""
	for _, a := range argv[1:] {
		if a == "-" || !isStatic(a) || strings.HasPrefix(a, "+") {
			to = string(unknown)
		} else if !strings.HasPrefix(a, "-") {
			to = a
		}
	}
	if to == "" && argv[0] == "cd" {
		to = w.root.home
	}
	if to == "" || !isStatic(to) || w.assigned["CDPATH"] > 0 {
		w.now = nil
		return nil
	}
	var ok []string
	for _, pl := range w.places(to) {
		if p := pl.paths[len(pl.paths)-1]; isStatic(p) && pl.broken == "" {
			ok = append(ok, p)
		}
	}
	w.read(c, to)
	if len(ok) == 0 {
		w.now = nil
		return nil
	}
	for _, d := range ok {
		if !slices.Contains(w.seen, d) && len(w.seen) < maxDirs {
			w.seen = append(w.seen, d)
		}
	}
	w.now = union(w.now, ok)
	return ok
}
