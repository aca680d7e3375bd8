package policy

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"signaltty/proto"
)

// steering are the variables that change what runs or where it looks for its
// code and configuration. A * ends a prefix.
var steering = []string{
	"PATH", "LD_*", "DYLD_*", "GIT_*", "BASH_ENV", "ENV", "IFS", "SHELLOPTS", "BASHOPTS", "PROMPT_COMMAND", "PS0", "PS4", "BASH_FUNC*",
	"PYTHONPATH", "PYTHONSTARTUP", "PYTHONHOME", "NODE_OPTIONS", "NODE_PATH", "PERL5OPT", "PERL5LIB", "PERLLIB", "RUBYOPT", "RUBYLIB",
	"JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "GCONV_PATH", "EDITOR", "VISUAL", "PAGER", "MANPAGER", "LESSOPEN", "LESSCLOSE", "BROWSER",
	"HOME", "XDG_*", "CDPATH", "ZDOTDIR", "SHELL", "CLAUDE_CONFIG_DIR", "CODEX_HOME", "SIGNALTTY_*", "CC", "CXX", "MAKEFLAGS", "RUSTC_WRAPPER",
	"GOFLAGS", "npm_config_*", "HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy", "ALL_PROXY",
}

// steerless are names that a prefix above takes in and that steer nothing.
var steerless = []string{
	"GIT_AUTHOR_*", "GIT_COMMITTER_*", "GIT_TERMINAL_PROMPT", "GIT_TRACE*", "GIT_OPTIONAL_LOCKS", "GIT_ADVICE", "LD_DEBUG", "GIT_MERGE_AUTOEDIT",
	"XDG_SESSION_*", "XDG_CURRENT_DESKTOP",
}

func named(name string, list []string) bool {
	return slices.ContainsFunc(list, func(p string) bool {
		prefix, ok := strings.CutSuffix(p, "*")
		return name == p || ok && strings.HasPrefix(name, prefix)
	})
}

// assign walks the assignments of a simple command. Those that stand alone
// stay for what comes later.
func (w *walk) assign(list []*syntax.Assign, stays bool) {
	for _, a := range list {
		w.substitutions(a)
		if a.Name == nil {
			continue
		}
		value := w.valueOf(a)
		w.steers(a.Name.Value, value)
		if stays && w.nest == 0 && w.assigned[a.Name.Value] == 1 && !w.hides && isStatic(value) {
			w.vars[a.Name.Value] = value
		}
	}
}

// valueOf is the text that an assignment sets.
func (w *walk) valueOf(a *syntax.Assign) string {
	switch {
	case a.Array != nil || a.Index != nil || a.Append:
		return string(unknown)
	case a.Value == nil:
		return ""
	}
	return w.one(a.Value)
}

// assignText is an assignment that a program such as env takes as a word.
func (w *walk) assignText(s string) {
	name, value, _ := strings.Cut(s, "=")
	w.steers(name, value)
}

// steers notes an assignment that changes what runs.
func (w *walk) steers(name, value string) {
	if !named(name, steering) || named(name, steerless) || harmlessValue(name, value) {
		return
	}
	w.list = append(w.list, access{tool: proto.ToolRun, argv: []string{name + "=" + value}, bare: []string{name + "="},
		unclear: "setting " + name + " changes what runs"})
}

// harmlessValue says that a value leaves everything that ran before as it was.
func harmlessValue(name, value string) bool {
	switch {
	case name == "PATH":
		// What is added at the end is looked at last.
		return strings.HasPrefix(value, string(unknown)+":")
	case strings.HasSuffix(name, "PAGER") || strings.HasSuffix(name, "EDITOR") || name == "VISUAL" || name == "BROWSER":
		return slices.Contains([]string{"", "cat", "true", ":", "less", "more"}, value)
	case name == "CC" || name == "CXX":
		return slices.Contains([]string{"gcc", "clang", "cc", "g++", "clang++", "c++"}, value)
	case name == "GOFLAGS":
		return !strings.Contains(value, "exec") && isStatic(value)
	case name == "HOME" || name == "SHELL":
		return false
	}
	return false
}

// declare walks export, declare, local and their like.
func (w *walk) declare(c *syntax.DeclClause) {
	argv := []string{c.Variant.Value}
	dumps := true
	for _, a := range c.Args {
		w.substitutions(a)
		if a.Name == nil {
			if a.Value != nil {
				argv = append(argv, w.word(a.Value)...)
				if flag := argv[len(argv)-1]; c.Variant.Value != "export" && shortFlag(flag, "n", "") {
					w.unclear("%s gives a variable a second name", c.Variant.Value)
				}
			}
			continue
		}
		dumps = false
		argv = append(argv, a.Name.Value)
		if !a.Naked {
			w.assign([]*syntax.Assign{a}, c.Variant.Value != "local")
		}
	}
	cmd := command{argv: argv, base: argv[0]}
	w.list = append(w.list, access{tool: proto.ToolRun, argv: argv, bare: argv, implied: true})
	if dumps && c.Variant.Value != "local" {
		w.read(cmd, "/proc/self/environ")
	}
}
