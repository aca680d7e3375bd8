package policy

import (
	"slices"
	"strings"
)

// gitValues are git's own options, before its verb, that take a value.
const gitValues = "-C -c --git-dir --work-tree --namespace --exec-path --config-env --super-prefix --attr-source"

// gitVerb is a git command without the options before its verb.
func gitVerb(argv []string) []string {
	rest := argv[1:]
	for len(rest) > 0 && strings.HasPrefix(rest[0], "-") {
		n := 1
		if slices.Contains(strings.Fields(gitValues), rest[0]) {
			n = 2
		}
		rest = rest[min(n, len(rest)):]
	}
	return append([]string{argv[0]}, rest...)
}

// git notes what a git command touches beside its own database.
func (w *walk) git(c command) {
	global := parse(c.argv[1:len(c.argv)-len(gitVerb(c.argv))+1], gitValues)
	if global.has("-c --config-env --exec-path") && !slices.Equal(global.of("-c"), harmlessConfig(global.of("-c"))) || global.has("--config-env --exec-path") {
		w.unclear("git is given configuration that may run programs")
	}
	start := w.now
	for _, dir := range append(global.of("-C"), global.of("--work-tree")...) {
		w.now = w.changeDir([]string{"cd", dir})
	}
	if argv := gitVerb(c.argv); len(argv) > 1 {
		w.gitVerb(command{argv: c.argv, base: "git", in: c.in}, argv[1], argv[2:])
	}
	w.now = start
}

// harmlessConfig are the settings given by -c that run nothing.
func harmlessConfig(list []string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(s string) bool {
		name, value, _ := strings.Cut(strings.ToLower(s), "=")
		for _, prefix := range []string{"user.", "color.", "advice.", "init.", "commit.gpgsign", "tag.gpgsign", "core.quotepath", "core.autocrlf", "safe.", "log.", "diff.renames", "protocol.", "http.lowspeed"} {
			if strings.HasPrefix(name, prefix) {
				return false
			}
		}
		return !(name == "core.pager" || name == "core.editor") || !harmlessValue("PAGER", value)
	})
}

// gitVerb notes what one verb of git touches.
func (w *walk) gitVerb(c command, verb string, args []string) {
	o := parse(args, "-m -b -B -C -F -n -o -x -s -S -X --message --output --exec --file --author --date --format --pretty --output-directory "+
		"--upload-pack --receive-pack -u --onto --strategy --depth --branch -c")
	w.edit(c, o.of("--output --output-directory")...)
	if o.has("--upload-pack --receive-pack --ext-diff") || o.has("-O --open-files-in-pager") && verb == "grep" {
		w.unclear("git %s is given a program to run", verb)
	}
	w.gitReads(c, verb, args, o)
	switch verb {
	case "checkout", "restore", "switch":
		if files, ok := afterDashes(args); ok {
			w.editTree(c, files...)
		} else if verb != "switch" {
			w.edit(c, o.operands...)
		}
	case "rm", "clean":
		w.editTree(c, o.operands...)
		if verb == "clean" && len(o.operands) == 0 && !o.has("-n --dry-run") {
			w.softTree(c, "edit", ".")
		}
	case "mv":
		w.copied(c, true, true, false, o.operands)
	case "apply", "am":
		w.read(c, o.operands...)
		if !o.has("--check --stat --numstat --summary --abort --skip --quit") {
			w.edit(c, "./"+string(unknown)) // the patch names the files
		}
	case "clone":
		w.gitClone(c, o.operands)
	case "init", "worktree":
		w.edit(c, o.operands...)
	case "archive", "format-patch":
		w.edit(c, o.of("-o")...)
	case "bundle":
		if len(o.operands) > 1 && o.operands[0] == "create" {
			w.edit(c, o.operands[1])
		}
	case "rebase":
		for _, code := range o.of("-x --exec") {
			w.codeOf(c, code)
		}
	case "bisect":
		if len(args) > 1 && args[0] == "run" {
			w.run(args[1:], c.in)
		}
	case "submodule":
		if i := slices.Index(args, "foreach"); i >= 0 {
			w.codeOf(c, strings.Join(dropFlags(args[i+1:]), " "))
		}
	case "config":
		w.gitConfig(o)
	case "filter-branch", "filter-repo", "difftool", "mergetool", "send-email", "daemon", "instaweb":
		w.unclear("git %s runs programs that are not followed", verb)
	case unknownMany:
		w.unclear("which git command it is is known only when it runs")
	}
	if !isStatic(verb) && verb != unknownMany {
		w.unclear("which git command it is is known only when it runs")
	}
}

// gitShows notes the files whose text a verb shows: after "--", after the colon
// of REV:path, and those that may be a revision's name as well.
func (w *walk) gitShows(c command, args, operands []string) {
	if files, ok := afterDashes(args); ok {
		w.path(c, "read", true, files)
	}
	for _, operand := range operands {
		if rev, file, ok := strings.Cut(operand, ":"); ok && file != "" && !strings.Contains(rev, "/") || ok && file != "" && rev != "" {
			w.read(c, file)
			continue
		}
		if looksLikePath(operand) {
			w.read(c, operand)
		}
	}
}

// softTree notes a directory below which something may be read or changed.
func (w *walk) softTree(c command, tool, dir string) {
	n := len(w.list)
	w.path(c, tool, true, []string{dir})
	for i := n; i < len(w.list); i++ {
		w.list[i].soft, w.list[i].implied = true, true
	}
}

// gitReads notes the files that a verb of git reads, and the hosts it reaches.
func (w *walk) gitReads(c command, verb string, args []string, o options) {
	switch verb {
	case "add", "hash-object", "blame", "stage":
		w.path(c, "read", true, o.operands)
	case "show", "cat-file", "diff", "log", "grep", "checkout-index":
		w.gitShows(c, args, o.operands)
	case "fetch", "pull", "push", "remote", "ls-remote", "submodule":
		for _, operand := range o.operands {
			if strings.Contains(operand, "://") || strings.Contains(operand, "::") || verb != "remote" && verb != "submodule" && operand == o.operands[0] && strings.Contains(operand, ":") {
				w.remote(c, operand)
			}
		}
	case "commit", "tag", "notes", "merge":
		w.read(c, o.of("-F --file")...)
	}
}

// afterDashes are the arguments after "--".
func afterDashes(args []string) ([]string, bool) {
	i := slices.Index(args, "--")
	if i < 0 {
		return nil, false
	}
	return args[i+1:], true
}

func (w *walk) gitClone(c command, operands []string) {
	if len(operands) == 0 {
		return
	}
	w.remote(c, operands[0])
	if len(operands) > 1 {
		w.edit(c, operands[1])
		return
	}
	name := strings.TrimSuffix(strings.TrimSuffix(operands[0], "/"), ".git")
	w.edit(c, name[strings.LastIndexAny(name, "/:")+1:])
}

// remote notes the host of a repository, or that it is a local one.
func (w *walk) remote(c command, url string) {
	if strings.Contains(url, "://") {
		w.host(c, hostOf(url))
		return
	}
	if host, _, ok := strings.Cut(url, ":"); ok && !strings.Contains(host, "/") {
		if host == "ext" {
			w.unclear("the address of the repository runs a program")
			return
		}
		w.host(c, host[strings.IndexByte(host, '@')+1:])
		return
	}
	w.read(c, url)
}

// gitConfig notes settings that run programs later.
func (w *walk) gitConfig(o options) {
	list := o.operands
	if len(list) > 0 && (list[0] == "set" || list[0] == "get" || list[0] == "list" || list[0] == "unset") {
		if list[0] != "set" {
			return
		}
		list = list[1:]
	}
	if len(list) < 2 || o.has("--get --get-all --list -l --unset") {
		return
	}
	if setting := list[0] + "=" + list[1]; len(harmlessConfig([]string{setting})) == 0 {
		w.unclear("git config %s may run a program later", list[0])
	}
}
