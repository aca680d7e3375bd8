package tree

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"signaltty/proto"
)

// In a linked work tree Git's own directory is elsewhere and shared: what is
// there before the turn stays, what others do there stands, and the turn's own
// branch is held as in any repository.
func TestLinkedWorkTree(t *testing.T) {
	tests := []struct {
		name string
		do   string // from the linked work tree; the main one is at $MAIN
		told map[string]string
		keep string // a shell test that must hold afterwards
	}{
		{"nothing", "true", nil, "true"},
		{"allowed", "echo x >ok/new", nil, "test -e ok/new"},
		{"forbidden", "echo x >evil", map[string]string{"evil": restored}, "test ! -e evil"},
		{"commit", "echo x >ok/new; git add ok/new; git commit -qm evil", map[string]string{".git/worktrees/linked/refs/heads/own": restored, ".git/worktrees/linked/index": restored}, `test "$(git rev-parse own)" = "$(git rev-parse main)"`},
		{"settings of all", "git config core.fsmonitor 'touch RAN'", map[string]string{".git/config": reported}, "true"},
		{"settings of its own", `printf '[core]\n\tfsmonitor = touch RAN\n' >"$(git rev-parse --git-dir)/config.worktree"`, map[string]string{".git/worktrees/linked/config.worktree": restored}, `test ! -e "$(git rev-parse --git-dir)/config.worktree"`},
		{"the person commits in the main one", `cd "$MAIN"; git commit -q --allow-empty -m theirs`, map[string]string{".git/worktrees/linked/refs/heads/main": reported}, `git -C "$MAIN" log -1 --format=%s | grep -q theirs`},
		{"another turn begins in a tree of its own", `git -C "$MAIN" worktree add -q -b signaltty/other ../other`, nil, `git -C "$MAIN/../other" status -s`},
		{"another turn's tree is removed", `git -C "$MAIN" worktree remove ../third; git -C "$MAIN" branch -q -D signaltty/third`, nil, `! git rev-parse -q --verify signaltty/third`},
	}
	for _, at := range []string{"beside", "below"} {
		for _, tt := range tests {
			if at == "below" && strings.HasPrefix(tt.name, "the person") {
				continue // it is the tree's own branch there
			}
			t.Run(tt.name+"/"+at, func(t *testing.T) {
				t.Parallel()
				main := filepath.Join(t.TempDir(), "main")
				main, linked := makeLinked(t, main, at)
				root := linked
				if at == "below" {
					root = main // the guard is around the main one, the turn within it
				}
				aside := t.TempDir()
				g := New(Options{
					Dir: root, Private: filepath.Join(aside, "kept"), Quarantine: filepath.Join(aside, "quarantine"), Turn: "t1",
					Allowed: func(path string) bool { return within(filepath.Join(linked, "ok"), path) },
					Mine:    func(time.Time) bool { return true },
				})
				if err := g.Begin(t.Context()); err != nil {
					t.Fatal(err)
				}
				before := gitFiles(t, main)
				shell(t, linked, "MAIN="+main+"\n"+tt.do)
				told, err := g.End(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				if at == "beside" {
					wantTold(t, told, tt.told, main, linked)
				}
				shell(t, linked, "MAIN="+main+"\n"+tt.keep)
				for _, file := range before {
					if !slices.Contains(gitFiles(t, main), file) && !strings.Contains(file, "third") {
						t.Errorf("%s is gone", file)
					}
				}
				shell(t, main, "git status >/dev/null && git fsck --no-dangling")
			})
		}
	}
}

// makeLinked makes a repository with a linked work tree, and another one of a
// turn beside it.
func makeLinked(t *testing.T, main, at string) (string, string) {
	t.Helper()
	shell(t, filepath.Dir(main), "mkdir main")
	main, err := filepath.EvalSymlinks(main)
	if err != nil {
		t.Fatal(err)
	}
	linked := filepath.Join(filepath.Dir(main), "linked")
	if at == "below" {
		linked = filepath.Join(main, "trees", "linked")
	}
	shell(t, main, `git init -q -b main .; echo trees >.git/info/exclude; echo a >a; mkdir ok; echo h >ok/here; git add -A; git commit -qm one
git worktree add -q -b own `+linked+`; git worktree add -q -b signaltty/third ../third`)
	return main, linked
}

// gitFiles are Git's own files of the main work tree that no command writes.
func gitFiles(t *testing.T, main string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(main, ".git", "*"))
	more, err2 := filepath.Glob(filepath.Join(main, ".git", "*", "*"))
	if err != nil || err2 != nil {
		t.Fatal(err, err2)
	}
	return append(files, more...)
}

func wantTold(t *testing.T, told []proto.TurnBlocked, want map[string]string, main, linked string) {
	t.Helper()
	got := map[string]string{}
	for _, b := range told {
		path := strings.TrimPrefix(strings.TrimPrefix(b.Path, linked+"/"), main+"/")
		got[path] = b.Action
		if want[path] != b.Action {
			t.Errorf("told is %+v", b)
		}
	}
	for path, action := range want {
		if got[path] != action {
			t.Errorf("%s is told as %q, want %q", path, got[path], action)
		}
	}
}
