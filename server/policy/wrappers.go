package policy

import (
	"path"
	"slices"
	"strings"
)

// wrappers are the programs that only run what comes after them: a rule that
// allows that allows it.
const wrappers = " env nohup timeout nice ionice setsid stdbuf command builtin exec xargs time chronic caffeinate unbuffer noglob chrt taskset "

// special are the programs that need more than a row.
func special() map[string]func(w *walk, c command) {
	return map[string]func(w *walk, c command){
		"env": (*walk).env,
		"nohup setsid chronic unbuffer noglob builtin time caffeinate": wrap("-p -t -w", 0),
		"nice ionice chrt taskset":                                     wrap("-n -c -p --adjustment --class --classdata -t", 0),
		"exec":                                                         wrap("-a", 0),
		"command":                                                      (*walk).commandBuiltin,
		"stdbuf":                                                       wrap("-i -o -e --input --output --error", 0),
		"timeout gtimeout":                                             wrap("-k -s --kill-after --signal", 1),
		"sudo doas run0":                                               wrap("-u -g -h -p -C -D -R -T -U -r -t --user --group --host --prompt --chdir --chroot", 0),
		"strace ltrace watch entr perf valgrind gdb firejail bwrap unshare nsenter chroot mount umount fusermount fusermount3 bindfs flock parallel script expect ssh-agent xvfb-run su runuser rbash": (*walk).opaque,
		"xargs gxargs":                  (*walk).xargs,
		"find fd gfind fdfind":          (*walk).find,
		"eval":                          (*walk).eval,
		"trap":                          (*walk).trap,
		"alias":                         (*walk).alias,
		"source .":                      (*walk).source,
		"bash sh dash zsh ksh ash mksh": (*walk).interpreter,
		"busybox toybox":                (*walk).busybox,
		"python python2 python3 pypy pypy3 node nodejs deno bun ruby perl php lua luajit Rscript osascript tclsh wish guile groovy scala julia elixir ghci swift ts-node tsx": (*walk).language,
		"dd":                             (*walk).dd,
		"make gmake":                     (*walk).make,
		"unzip":                          (*walk).unzip,
		"read mapfile readarray printf":  (*walk).sets,
		"hash enable":                    (*walk).redefines,
		"tar bsdtar":                     (*walk).tar,
		"curl wget http https xh aria2c": (*walk).fetch,
		"ssh sftp ftp telnet nc ncat netcat socat ping dig host nslookup mosh": (*walk).connect,
		"git":              (*walk).git,
		"ln link":          (*walk).link,
		"crontab at batch": (*walk).later,
		"gh glab":          func(*walk, command) {}, // their arguments are texts
	}
}

// wrap is a program that runs what stands after its options and skip operands.
func wrap(values string, skip int) func(*walk, command) {
	return func(w *walk, c command) {
		rest := afterOptions(c.argv[1:], values)
		for len(rest) > 0 && c.base != "exec" && isAssignment(rest[0]) { // sudo A=b cmd
			w.assignText(rest[0])
			rest = rest[1:]
		}
		w.run(rest[min(skip, len(rest)):], c.in)
	}
}

// afterOptions is what stands after the options before the first operand.
func afterOptions(args []string, values string) []string {
	valued := strings.Fields(values)
	for len(args) > 0 {
		a := args[0]
		switch {
		case a == "--":
			return args[1:]
		case len(a) < 2 || a[0] != '-':
			return args
		case slices.Contains(valued, a) && len(args) > 1:
			args = args[2:]
		default:
			args = args[1:]
		}
	}
	return nil
}

func isAssignment(s string) bool {
	name, _, ok := strings.Cut(s, "=")
	return ok && name != "" && strings.IndexFunc(name, func(r rune) bool {
		return r != '_' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
	}) < 0
}

func (w *walk) env(c command) {
	rest := c.argv[1:]
	dir := ""
	for len(rest) > 0 {
		a := rest[0]
		name, value, inline := strings.Cut(a, "=")
		switch {
		case name == "--split-string" || shortFlag(a, "S", "uCP"):
			w.unclear("env takes a text apart into a command")
			return
		case shortFlag(a, "P", "uC"):
			w.unclear("env is told where to look for the program")
			return
		case len(a) > 2 && strings.HasPrefix(a, "-C"):
			dir = a[2:]
		case shortFlag(a, "C", "u") && strings.HasSuffix(a, "C") || name == "--chdir":
			if !inline && len(rest) > 1 {
				rest, value = rest[1:], rest[1]
			}
			dir = value
		case a == "-u" || a == "--unset":
			rest = rest[min(1, len(rest)-1):]
		case a != "-" && strings.HasPrefix(a, "-"):
		case isAssignment(a):
			w.assignText(a)
		case a == "-":
		default:
			start := w.now
			if dir != "" {
				w.now = w.changeDir([]string{"cd", dir})
			}
			w.run(rest, c.in)
			w.now = start
			return
		}
		rest = rest[1:]
	}
	w.read(c, "/proc/self/environ")
}

// shortFlag says that a word has a flag among its short ones, before any that
// takes the rest of the word as its value.
func shortFlag(a, flag, valued string) bool {
	if len(a) < 2 || a[0] != '-' || a[1] == '-' {
		return false
	}
	i := strings.Index(a, flag)
	return i > 0 && !strings.ContainsAny(a[1:i], valued)
}

// commandBuiltin is `command`, which also only looks programs up.
func (w *walk) commandBuiltin(c command) {
	if len(c.argv) > 1 && (c.argv[1] == "-v" || c.argv[1] == "-V") {
		return
	}
	wrap("", 0)(w, c)
}

// opaque is a program that runs another in ways that are not followed.
func (w *walk) opaque(c command) { w.unclear("%s runs something that is not followed", c.base) }

// xargs runs a command with words from its input.
func (w *walk) xargs(c command) {
	const values = "-I -i -n -L -P -s -d -a -E -J -R --replace --max-args --max-lines --max-procs --delimiter --arg-file --max-chars --process-slot-var"
	o := parse(c.argv[1:], values)
	w.read(c, o.of("-a --arg-file")...)
	rest := slices.Clone(afterOptions(c.argv[1:], values))
	if len(rest) == 0 {
		return // it echoes
	}
	if words := strings.Fields(c.in.text); c.in.from == "text" && isStatic(c.in.text) && !strings.ContainsAny(c.in.text, `"'\`) && len(c.argv) == len(rest)+1 {
		w.run(append(rest, words...), input{from: "xargs"})
		return
	}
	placeholder := append(o.of("-I -J --replace"), "")[0]
	if placeholder == "" {
		w.run(append(rest, unknownMany), input{from: "xargs"})
		return
	}
	for i := range rest {
		rest[i] = strings.ReplaceAll(rest[i], placeholder, string(unknown))
	}
	w.run(rest, input{from: "xargs"})
}

// find has roots, and actions that run, write or delete.
func (w *walk) find(c command) {
	roots := []string{}
	i := 1
	for ; i < len(c.argv) && !strings.HasPrefix(c.argv[i], "-") && c.argv[i] != "(" && c.argv[i] != "!"; i++ {
		roots = append(roots, c.argv[i])
	}
	if strings.HasPrefix(c.base, "fd") {
		roots = nil
	}
	if len(roots) == 0 {
		roots = []string{"."}
	}
	w.read(c, roots...)
	for ; i < len(c.argv); i++ {
		switch a := c.argv[i]; a {
		case "-exec", "-execdir", "-ok", "-okdir", "-x", "-X", "--exec", "--exec-batch":
			end := i + 1
			for end < len(c.argv) && c.argv[end] != ";" && (c.argv[end] != "+" || c.argv[end-1] != "{}") {
				end++
			}
			w.found(roots, nameEnd(c.argv), c.argv[i+1:end], c.in)
			i = end
		case "-delete":
			w.editTree(c, roots...)
		case "-fprint", "-fprintf", "-fls", "-fprint0":
			if i+1 < len(c.argv) {
				w.edit(c, c.argv[i+1])
			}
		case unknownMany:
			w.unclear("%s may be given an action that is known only when it runs", c.base)
		}
	}
}

// found runs a command of find's on what it finds below its roots.
func (w *walk) found(roots []string, end string, argv []string, in input) {
	for _, r := range roots {
		each := slices.Clone(argv)
		for k := range each {
			each[k] = strings.ReplaceAll(each[k], "{}", strings.TrimSuffix(r, "/")+end)
		}
		w.run(each, in)
	}
}

// nameEnd is what find adds to its roots, as far as its only -name tells it:
// with "*.go" any text that ends in ".go".
func nameEnd(argv []string) string {
	i := slices.Index(argv, "-name")
	others := func(s string) bool { return slices.Contains([]string{"-o", "-or", "!", "-not", ","}, s) }
	if i < 0 || i+1 >= len(argv) || slices.ContainsFunc(argv, others) {
		return "/" + string(unknown)
	}
	name := argv[i+1]
	if k := strings.LastIndexAny(name, "*?]\\\x00\x01\x02"); k >= 0 {
		return "/" + string(unknown) + name[k+1:]
	}
	return string(unknown) + "/" + name
}

func (w *walk) eval(c command) { w.codeOf(c, strings.Join(c.argv[1:], " ")) }

// codeOf walks code that a command was given.
func (w *walk) codeOf(c command, code string) {
	if !isStatic(code) {
		w.unclear("%s is given code that is known only when it runs", c.base)
		return
	}
	w.code(code)
}

func (w *walk) trap(c command) {
	o := parse(c.argv[1:], "")
	if len(o.operands) > 1 && o.operands[0] != "" {
		w.codeOf(c, o.operands[0])
	}
}

// alias may give a name to other code for what comes later.
func (w *walk) alias(c command) {
	for _, a := range c.argv[1:] {
		if _, code, ok := strings.Cut(a, "="); ok {
			w.codeOf(c, code)
		}
	}
}

// source runs a file in the shell itself.
func (w *walk) source(c command) {
	if len(c.argv) < 2 {
		return
	}
	if strings.HasPrefix(c.argv[1], "/dev/fd/") || c.argv[1] == "/dev/stdin" {
		w.unclear("%s runs what another command writes", c.base)
		return
	}
	w.read(c, c.argv[1])
}

func (w *walk) dd(c command) {
	for _, a := range c.argv[1:] {
		switch name, value, _ := strings.Cut(a, "="); name {
		case "of":
			w.edit(c, value)
		case "if":
			w.read(c, value)
		case unknownMany:
			w.edit(c, string(unknown))
		}
	}
}

// make builds what a file says, which is not read; a file from elsewhere is
// code on the command line.
func (w *walk) make(c command) {
	o := parse(c.argv[1:], "-f -C -I -j -l -o -W --file --makefile --directory --eval")
	for _, f := range o.of("-f --file --makefile") {
		if f == "-" || strings.HasPrefix(f, "/dev/") || !isStatic(f) {
			w.unclear("make runs what is known only when it runs")
		}
	}
	if o.has("--eval -E") {
		w.unclear("make is given code, which signaltty does not read")
	}
	w.given(c)
}

// unzip writes what the archive says.
func (w *walk) unzip(c command) {
	o := parse(c.argv[1:], "-d -x -P")
	w.read(c, o.operands...)
	if o.has("-l -t -p -c -v -z -Z") {
		return
	}
	into := o.of("-d")
	if len(into) == 0 {
		into = []string{"."}
	}
	for _, dir := range into {
		w.edit(c, strings.TrimSuffix(dir, "/")+"/"+string(unknown))
	}
}

// sets is a builtin that sets the variables which it is told.
func (w *walk) sets(c command) {
	o := parse(c.argv[1:], "-v -d -i -n -N -p -t -u -O -s -C -c -a")
	names := o.of("-v -a")
	if c.base != "printf" {
		names = append(names, o.operands...)
	}
	for _, name := range names {
		if !isStatic(name) {
			w.unclear("%s sets a variable that is known only when it runs", c.base)
			continue
		}
		w.steers(name, string(unknown))
	}
}

// redefines is a builtin that changes which program a name is.
func (w *walk) redefines(c command) {
	if o := parse(c.argv[1:], ""); o.has("-p -f -d") {
		w.unclear("%s changes which program a name is", c.base)
	}
}

// later runs a command at another time, from its input or a file.
func (w *walk) later(c command) {
	if len(c.argv) > 1 && c.argv[1] == "-l" {
		return
	}
	w.unclear("%s runs something later, where no gate is", c.base)
}

// link gives a file a second name, which is the first step of changing it by
// that: what it leads to counts as changed, and what is below may be, by a path
// that is judged before the link is there.
func (w *walk) link(c command) {
	ln := programs()["ln"]
	ln.do = nil
	w.files(c, ln)
	o := parse(c.argv[1:], ln.values+" "+ln.into)
	places := o.operands
	for _, at := range append(o.of(ln.into), o.operands...) {
		for _, to := range o.operands { // a relative one begins where the link is
			if to != at && !strings.HasPrefix(to, "/") && isStatic(to) {
				places = append(places, path.Dir(at)+"/"+to, at+"/"+to)
			}
		}
		if len(places) > maxDirs*maxDirs {
			break
		}
	}
	for _, p := range places {
		w.softTree(c, "read", p)
		w.softTree(c, "edit", p)
	}
}
