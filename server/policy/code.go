package policy

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// interpreter is a shell: it runs an option's text, a file, or its input.
func (w *walk) interpreter(c command) {
	args := c.argv[1:]
	code, stdin := false, false
	for len(args) > 0 && len(args[0]) > 1 && (args[0][0] == '-' || args[0][0] == '+') {
		a := args[0]
		args = args[1:]
		if a == "--" {
			break
		}
		if strings.HasPrefix(a, "--") {
			name, file, inline := strings.Cut(a, "=")
			if name == "--rcfile" || name == "--init-file" {
				if !inline && len(args) > 0 {
					file, args = args[0], args[1:]
				}
				w.read(c, file)
			}
			continue
		}
		code = code || a[0] == '-' && strings.Contains(a, "c")
		stdin = stdin || a[0] == '-' && strings.Contains(a, "s")
		if strings.ContainsAny(a, "oO") {
			args = args[min(1, len(args)):]
		}
	}
	switch {
	case code && len(args) > 0:
		w.codeOf(c, args[0])
	case code:
		w.unclear("%s is given no code", c.base)
	case len(args) > 0 && !stdin && args[0] != "-":
		if strings.HasPrefix(args[0], "/dev/fd/") || args[0] == "/dev/stdin" || !isStatic(args[0]) {
			w.unclear("%s runs what is known only when it runs", c.base)
			return
		}
		w.read(c, args[0])
	case c.in.from == "text":
		w.codeOf(c, c.in.text)
	case c.in.from != "":
		w.unclear("%s runs what it reads from %s", c.base, c.in.from)
	}
}

func (w *walk) busybox(c command) { w.run(c.argv[1:], c.in) }

// language is an interpreter of another language: what it runs is not read.
func (w *walk) language(c command) {
	const inline = "-c -e -p -r -E -pe -ne -pi --eval --print --exec -pie -nle -lne -i -le -ple eval repl"
	for _, a := range c.argv[1:] {
		if slices.Contains(strings.Fields(inline), a) || a == "-" || strings.HasPrefix(a, "-c") && a != "-c" && !strings.HasPrefix(c.base, "node") || strings.HasPrefix(a, "--eval=") {
			w.unclear("%s is given code, which signaltty does not read", c.base)
			return
		}
		if a[:min(1, len(a))] != "-" {
			if strings.HasPrefix(a, "/dev/fd/") || a == "/dev/stdin" || a == unknownMany {
				w.unclear("%s runs what is known only when it runs", c.base)
				return
			}
			w.given(c)
			return
		}
		if a == "-m" || a == "--version" || a == "-V" || a == "--help" || a == "-v" || a == "--test" || a == "--check" {
			w.given(c)
			return
		}
	}
	if c.in.from != "" {
		w.unclear("%s runs what it reads from %s", c.base, c.in.from)
	}
}

func (w *walk) sedScripts(c command, o options) {
	scripts := o.of("-e --expression")
	if !o.has("-e -f --expression --file") && len(o.operands) > 0 {
		scripts = o.operands[:1]
	}
	if len(o.of("-f --file")) > 0 {
		w.unclear("%s takes its script from a file", c.base)
	}
	for _, s := range scripts {
		switch {
		case !isStatic(s):
			// An argument of a substitution is mostly text; only a whole unknown script is code.
			if s == string(unknown) || s == unknownMany {
				w.unclear("%s is given a script that is known only when it runs", c.base)
			}
		case sedWrites(s):
			w.unclear("%s's script may write files or run commands", c.base)
		}
	}
}

// sedWrites says that a script may have the commands w, e, or their flags.
func sedWrites(s string) bool {
	for part := range strings.SplitSeq(s, ";") {
		part = strings.TrimLeft(part, " \t\n0123456789,$!{}")
		if part == "" {
			continue
		}
		if part[0] == '/' || part[0] == '\\' { // an address
			if i := strings.IndexByte(part[1:], part[0]); i >= 0 {
				part = strings.TrimLeft(part[i+2:], " \t!{0123456789,$")
			}
			if part != "" && part[0] == '/' {
				return true // too much for a look
			}
		}
		if strings.HasPrefix(part, "w") || strings.HasPrefix(part, "W") || strings.HasPrefix(part, "e") || strings.HasPrefix(part, "r ") {
			return true
		}
		if strings.HasPrefix(part, "s") && len(part) > 1 {
			flags := part[strings.LastIndexByte(part, part[1])+1:]
			name, _, _ := strings.Cut(flags, " ")
			if strings.ContainsAny(name, "we") && strings.Trim(name, "gpiImMwe0123456789}") == "" {
				return true
			}
		}
	}
	return false
}

// awkActs finds output to files and commands in an awk program.
var awkActs = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`system|getline|print[^;}\n]*(>|\|)`) })

// awkScripts looks for what makes an awk program more than a filter.
func (w *walk) awkScripts(c command, o options) {
	if o.has("-f --file") {
		w.unclear("%s takes its program from a file", c.base)
		return
	}
	if len(o.operands) == 0 {
		return
	}
	s := o.operands[0]
	if awkActs().MatchString(s) || s == string(unknown) || s == unknownMany {
		w.unclear("%s's program may write files or run commands", c.base)
	}
}
