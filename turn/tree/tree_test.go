package tree

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// situation is one thing that a turn does, and what must have become of it.
type situation struct {
	name string
	// do is a shell script, run in the tree as the turn would. What is
	// allowed is everything below ok/.
	do string
	// told are the paths below the tree that must be told, none else.
	told []string
	// also are paths that are told in a dirty tree too.
	also []string
	// stays are paths whose change must stand.
	stays   []string
	commits bool
	// uncertain says that the change may be somebody else's: it is told and
	// everything stands.
	uncertain bool
	// max bounds what is kept; action is what is then told.
	max    int64
	action string
	// plain runs it outside of a repository too.
	plain bool
}

var situations = []situation{
	{name: "nothing", do: `true`, plain: true},
	{name: "allowed file", do: `echo x >ok/new; echo y >>ok/here`, stays: []string{"ok/new", "ok/here"}, plain: true},
	{name: "new file", do: `echo x >evil`, told: []string{"evil"}, plain: true},
	{name: "new file in a new directory", do: `mkdir -p d/e; echo x >d/e/f`, told: []string{"d", "d/e", "d/e/f"}, plain: true},
	{name: "changed file", do: `echo x >>a.txt`, told: []string{"a.txt"}, plain: true},
	{name: "changed file, same size and time", do: `cp -p a.txt t; printf 'XXX' | dd of=a.txt conv=notrunc status=none; touch -r t a.txt; rm t`, told: []string{"a.txt"}, plain: true},
	{name: "emptied file", do: `: >a.txt`, told: []string{"a.txt"}, plain: true},
	{name: "deleted file", do: `rm a.txt`, told: []string{"a.txt"}, plain: true},
	{name: "deleted directory", do: `rm -r sub`, told: []string{"sub", "sub/b.txt", "sub/deep", "sub/deep/c.txt"}, plain: true},
	{name: "renamed file", do: `mv a.txt b.txt`, told: []string{"a.txt", "b.txt"}, plain: true},
	{name: "renamed into what is allowed", do: `mv a.txt ok/a.txt`, told: []string{"a.txt"}, stays: []string{"ok/a.txt"}, plain: true},
	{name: "renamed directory", do: `mv sub other`, told: []string{"other", "other/b.txt", "other/deep", "other/deep/c.txt", "sub", "sub/b.txt", "sub/deep", "sub/deep/c.txt"}, plain: true},
	{name: "only letter case", do: `mv a.txt A.txt`, told: []string{"a.txt", "A.txt"}, plain: true},
	{name: "executable", do: `chmod +x a.txt`, told: []string{"a.txt"}, plain: true},
	{name: "unreadable", do: `chmod 000 a.txt`, told: []string{"a.txt"}, plain: true},
	{name: "directory's mode", do: `chmod 700 sub`, told: []string{"sub"}, plain: true},
	{name: "file becomes link", do: `rm a.txt; ln -s ok/here a.txt`, told: []string{"a.txt"}, plain: true},
	{name: "file becomes directory", do: `rm a.txt; mkdir a.txt; echo x >a.txt/f`, told: []string{"a.txt", "a.txt/f"}, plain: true},
	{name: "directory becomes file", do: `rm -r sub; echo x >sub`, told: []string{"sub", "sub/b.txt", "sub/deep", "sub/deep/c.txt"}, plain: true},
	{name: "directory becomes link", do: `mv sub ok/sub; ln -s ok/sub sub`, told: []string{"sub", "sub/b.txt", "sub/deep", "sub/deep/c.txt"}, stays: []string{"ok/sub"}, plain: true},
	{name: "link points elsewhere", do: `ln -sfn /etc/passwd link`, told: []string{"link"}, plain: true},
	{name: "link deleted", do: `rm link`, told: []string{"link"}, plain: true},
	{name: "write through a link", do: `echo x >>link`, told: []string{"a.txt"}, plain: true},
	{name: "link in what is allowed, written through", do: `ln -s ../a.txt ok/l; echo x >>ok/l`, told: []string{"a.txt"}, stays: []string{"ok/l"}, plain: true},
	{name: "hard link in what is allowed, written through", do: `ln a.txt ok/h; echo x >>ok/h`, told: []string{"a.txt"}, stays: []string{"ok/h"}, plain: true},
	{name: "pipe", do: `mkfifo p`, told: []string{"p"}, plain: true},
	{name: "strange names", do: "echo x >'-rf'; echo x >'a b'; echo x >'$(id)'; printf x >\"$(printf 'new\\nline')\"; echo x >'*'", told: []string{"*", "-rf", "$(id)", "a b", "new\nline"}, plain: true},
	{name: "ignored file created", do: `echo x >build.log`, told: []string{"build.log"}},
	{name: "ignored file changed", do: `echo x >>kept.log`, told: []string{"kept.log"}},
	{name: "ignored directory changed", do: `echo x >>cache/big; rm cache/other`, told: []string{"cache/big", "cache/other"}},
	{name: "ignore rules changed to hide it", do: `echo '*' >>.gitignore; echo x >hidden`, told: []string{".gitignore", "hidden"}},
	{name: "untracked file changed", do: `echo x >>untracked`, told: []string{"untracked"}, plain: true},
	{name: "untracked file deleted", do: `rm untracked`, told: []string{"untracked"}, plain: true},
	{name: "attributes that would filter", do: `echo '*.txt filter=evil eol=crlf' >.gitattributes; git config filter.evil.smudge 'touch RAN'; git config filter.evil.clean 'touch RAN'; echo x >>a.txt`, told: []string{".git/config", ".gitattributes", "a.txt"}},
	{name: "line ends", do: `git config core.autocrlf true; printf 'one\r\ntwo\r\n' >crlf.txt`, told: []string{".git/config", "crlf.txt"}},
	{name: "hook of Git", do: `printf '#!/bin/sh\ntouch RAN\n' >.git/hooks/reference-transaction; chmod +x .git/hooks/reference-transaction; printf '#!/bin/sh\ntouch RAN\n' >.git/hooks/post-checkout; chmod +x .git/hooks/post-checkout`, told: []string{".git/hooks/post-checkout", ".git/hooks/reference-transaction"}},
	{name: "monitor of Git", do: `git config core.fsmonitor "touch $PWD/RAN; false"; git config core.hooksPath ok`, told: []string{".git/config"}},
	{name: "exclusions of Git", do: `echo '*' >>.git/info/exclude; echo x >hidden`, told: []string{".git/info/exclude", "hidden"}},
	{name: "commit, not allowed", do: `echo x >ok/new; git add ok/new; git commit -qm evil`, told: []string{".git/index", ".git/refs/heads/main"}, stays: []string{"ok/new"}},
	{name: "commit, allowed", do: `echo x >ok/new; git add ok/new; git commit -qm good ok/new`, commits: true, stays: []string{"ok/new", ".git"}},
	{name: "commit of what is not allowed", do: `echo x >>tracked; git commit -qm evil tracked`, commits: true, told: []string{".git/index", ".git/refs/heads/main", "tracked"}},
	{name: "commit of what is not allowed, undone in the next", do: `cp tracked /tmp/u$$; echo x >>tracked; git commit -qm evil tracked; git show HEAD~1:tracked >tracked; git commit -qm undo tracked; mv /tmp/u$$ tracked`, commits: true, told: []string{".git/refs/heads/main"}},
	{name: "commit and file put back by the turn", do: `cp tracked /tmp/$$; echo x >>tracked; git commit -qm evil tracked; cp /tmp/$$ tracked; rm /tmp/$$`, commits: true, told: []string{".git/index", ".git/refs/heads/main"}},
	{name: "amended", do: `git commit -q --amend -m other`, commits: true, told: []string{".git/refs/heads/main"}},
	{name: "reset to an earlier commit", do: `git reset -q --soft HEAD~1`, commits: true, told: []string{".git/refs/heads/main"}},
	{name: "hard reset", do: `git reset -q --hard HEAD~1`, told: []string{".git/index", ".git/refs/heads/main", "tracked", "second"}, also: []string{"sub/b.txt"}},
	{name: "branch switched", do: `git checkout -q -b other`, told: []string{".git/HEAD", ".git/refs/heads/other"}},
	{name: "branch made, allowed", do: `git branch other`, commits: true, stays: []string{".git"}},
	{name: "branch deleted", do: `git branch -D side`, commits: true, told: []string{".git/refs/heads/side"}},
	{name: "tag", do: `git tag v1`, told: []string{".git/refs/tags/v1"}},
	{name: "refs packed", do: `git pack-refs --all`, stays: []string{".git"}},
	{name: "collected", do: `git gc -q`, stays: []string{".git"}},
	{name: "status refreshed", do: `touch a.txt tracked; git status >/dev/null`, stays: []string{".git"}},
	{name: "stash", do: `echo x >>tracked; git stash -q`, told: []string{".git/refs/stash"}, also: []string{".git/index", "second", "sub/b.txt", "tracked"}},
	{name: "staged what is not allowed", do: `echo x >>tracked; git add tracked`, told: []string{".git/index", "tracked"}},
	{name: "staged what is allowed", do: `echo x >>ok/here; git add ok/here`, stays: []string{"ok/here", ".git"}},
	{name: "removed from the index", do: `git rm -q --cached tracked`, told: []string{".git/index"}},
	{name: "HEAD broken", do: `echo rubbish >.git/HEAD`, told: []string{".git"}},
	{name: "refs deleted", do: `rm -rf .git/refs .git/packed-refs`, told: []string{".git"}},
	{name: "nested repository made", do: `mkdir n; cd n; git init -q; echo x >f; git add f; git commit -qm n`, told: []string{"n", "n/.git", "n/f"}},
	{name: "nested repository changed", do: `cd nested; echo x >>in; git commit -qm n in`, told: []string{"nested/.git/index", "nested/.git/refs/heads/main", "nested/in"}},
	{name: "submodule's files", do: `echo x >>module/m.txt`, told: []string{"module/m.txt"}},
	{name: "submodule's commit", do: `cd module; echo x >>m.txt; git commit -qm m m.txt`, told: []string{".git/modules/module/index", ".git/modules/module/refs/heads/main", "module/m.txt"}},
	{name: "submodule's settings", do: `git -C module config core.fsmonitor 'touch RAN'`, told: []string{".git/modules/module/config"}},
	{name: "somebody else's", do: `echo x >>a.txt; rm untracked; echo x >evil`, told: []string{"a.txt", "evil", "untracked"}, uncertain: true, plain: true},
	{name: "somebody else's commit", do: `echo x >>tracked; git commit -qm theirs tracked`, told: []string{".git/index", ".git/refs/heads/main", "tracked"}, uncertain: true},
	{name: "too large to keep", do: `echo x >>cache/big`, told: []string{"cache/big"}, max: 3000, action: unrestorable},
	{name: "many at once", do: `echo x >>a.txt; rm -r sub; chmod 600 tracked; ln -s a.txt l2; mkdir z; echo q >z/z`, told: []string{"a.txt", "l2", "sub", "sub/b.txt", "sub/deep", "sub/deep/c.txt", "tracked", "z", "z/z"}},
}

// prepare is the tree before the turn. A dirty one has edits that nobody has
// committed, staged ones among them.
const prepare = `
git init -q -b main .
git config user.name t; git config user.email t@example.com; git config commit.gpgsign false
mkdir -p ok sub/deep cache
echo one >a.txt; echo b >sub/b.txt; echo c >sub/deep/c.txt; echo here >ok/here; echo t >tracked
printf 'one\ntwo\n' >crlf.txt
ln -s a.txt link
printf '*.log\ncache/\n' >.gitignore
git add -A; git commit -qm first
echo 2 >second; echo t2 >>tracked; git add -A; git commit -qm second
git branch side
`

const modules = `
mkdir nested; (cd nested; git init -q -b main .; git config user.name t; git config user.email t@example.com; echo in >in; git add in; git commit -qm in)
git -c protocol.file.allow=always submodule add -q ./nested module
(cd module; git config user.name t; git config user.email t@example.com; mv in m.txt; git add -A; git commit -qm m)
echo nested/ >>.git/info/exclude
git add -A; git commit -qm modules
`

const rest = `
echo log >kept.log; head -c 5000 /dev/zero >cache/big; echo o >cache/other; echo u >untracked
`

const dirty = `
echo "my own edit" >>tracked; echo "staged" >>second; git add second; echo "and more" >>second; rm sub/b.txt; git rm -q --cached crlf.txt
git update-index --refresh -q || :
true
`

func shell(t *testing.T, dir, script string) {
	t.Helper()
	cmd := exec.Command("sh", "-euc", script)
	cmd.Dir = dir
	cmd.Env = append(gitEnv(os.Environ()), "GIT_OPTIONAL_LOCKS=1", "GIT_AUTHOR_NAME=t", "GIT_AUTHOR_EMAIL=t@example.com",
		"GIT_COMMITTER_NAME=t", "GIT_COMMITTER_EMAIL=t@example.com", "GIT_LITERAL_PATHSPECS=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%.200s: %v\n%s", script, err, out)
	}
}

// picture is everything in a tree that must come back: paths, modes, content,
// and of Git what it says of itself.
func picture(t *testing.T, root string, except []string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel := strings.TrimPrefix(strings.TrimPrefix(path, root), "/")
		if slices.Contains(except, rel) && d.IsDir() {
			return filepath.SkipDir
		}
		if _, own := gitsOwn(path); own || slices.Contains(except, rel) {
			if d.IsDir() {
				return filepath.SkipDir
			}
			return nil
		}
		e, err := see(path)
		if err != nil {
			return err
		}
		text := e.mode.String() + " " + e.target
		if e.mode.IsRegular() {
			b, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			text += fmt.Sprintf(" %q", b)
		}
		out[rel] = text
		if d.Name() == ".git" {
			state, err := git(t.Context(), filepath.Dir(path), "", "for-each-ref", "--exclude=refs/signaltty")
			staged, err2 := git(t.Context(), filepath.Dir(path), "", "ls-files", "--stage")
			head, err3 := git(t.Context(), filepath.Dir(path), "", "rev-parse", "--symbolic-full-name", "HEAD")
			out[rel+" says"] = fmt.Sprintf("%s %v\n%s %v\n%s %v", state, err, staged, err2, head, err3)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestSituations(t *testing.T) {
	for _, s := range situations {
		for _, kind := range []string{"clean", "dirty", "plain"} {
			if kind == "plain" && !s.plain {
				continue
			}
			t.Run(s.name+"/"+kind, func(t *testing.T) {
				t.Parallel()
				try(t, s, kind)
			})
		}
	}
}

// try makes a tree, lets the turn do its thing and looks at what is left.
func try(t *testing.T, s situation, kind string) {
	root := filepath.Join(t.TempDir(), "work")
	if err := os.Mkdir(root, 0o755); err != nil {
		t.Fatal(err)
	}
	root, _ = filepath.EvalSymlinks(root)
	script := prepare + rest
	if strings.Contains(s.name, "odule") || strings.Contains(s.name, "nested repository changed") {
		script = prepare + modules + rest
	}
	switch kind {
	case "dirty":
		script += dirty
	case "plain":
		script += "rm -rf .git"
	}
	shell(t, root, script)
	if kind == "dirty" && strings.Contains(s.do, "sub") {
		shell(t, root, "echo b >sub/b.txt")
	}
	before := picture(t, root, s.stays)

	aside := t.TempDir()
	o := Options{
		Dir: filepath.Join(root, "ok"), Private: filepath.Join(aside, "kept"), Quarantine: filepath.Join(aside, "quarantine"), Turn: "t1",
		Allowed: func(path string) bool { return within(filepath.Join(root, "ok"), path) }, Commits: s.commits, Max: s.max,
		Mine: func(time.Time) bool { return !s.uncertain },
	}
	if kind == "plain" {
		o.Dir = root
	}
	g := New(o)
	if err := g.Begin(t.Context()); err != nil {
		t.Fatal(err)
	}
	shell(t, root, s.do)
	done := picture(t, root, s.stays)
	told, err := g.End(t.Context())
	if err != nil {
		t.Fatal(err)
	}

	want := s.action
	if want == "" {
		want = restored
	}
	if s.uncertain {
		want, before = reported, done
	}
	var got []string
	for _, b := range told {
		got = append(got, strings.TrimPrefix(b.Path, root+"/"))
		if b.Action != want || b.Reason == "" {
			t.Errorf("%s is told as %+v, want %s", b.Path, b, want)
		}
	}
	slices.Sort(got)
	wanted := slices.Sorted(slices.Values(s.told))
	if kind == "dirty" {
		wanted = append(wanted, s.also...)
	}
	if !covers(got, wanted) {
		t.Errorf("told are %q, want %q", got, wanted)
	}
	if want != unrestorable {
		after := picture(t, root, s.stays)
		for path, text := range before {
			if after[path] != text {
				t.Errorf("%s\nwas %.300s\nis  %.300s", path, text, after[path])
			}
		}
		for path := range after {
			if _, ok := before[path]; !ok {
				t.Errorf("%s is left", path)
			}
		}
	}
	for _, ran := range []string{"RAN", "ok/RAN"} {
		if _, err := os.Lstat(filepath.Join(root, ran)); err == nil {
			t.Error("the guard ran what the turn left in Git's settings")
		}
	}
	if _, err := os.Lstat(o.Private); err == nil {
		t.Error("the private copy is still there")
	}
}

// covers says that what was told is what was wanted; below a directory that
// is named, anything may be told.
func covers(got, want []string) bool {
	for _, w := range want {
		if !slices.Contains(got, w) {
			return false
		}
	}
	for _, g := range got {
		if !slices.ContainsFunc(want, func(w string) bool { return w == g || w == "n/.git" && strings.HasPrefix(g, "n/.git/") }) {
			return false
		}
	}
	return true
}
