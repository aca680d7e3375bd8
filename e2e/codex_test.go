//go:build linux

package e2e

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"signaltty/e2e/codex"
	"signaltty/e2e/model"
	"signaltty/e2e/openai"
	"signaltty/e2e/place"
	"signaltty/proto"
)

// codexWorld is what one person who works with Codex has.
type codexWorld struct {
	*place.Place
	home  codex.Home
	model *openai.Server
}

// newCodexWorld starts a server. When the test ends the person's own
// configuration must be as it was, to the byte.
func newCodexWorld(t *testing.T, rules ...model.Rule) *codexWorld {
	t.Helper()
	t.Parallel()
	api := openai.Start(t, rules...)
	home := codex.New(t, api.URL)
	w := &codexWorld{home: home, model: api, Place: place.New(t, place.Setup{
		Binary: binary, Dir: home.Dir, Work: home.Work, Env: home.Env(),
	})}
	before := w.read(home.Config())
	w.Serve()
	t.Cleanup(func() {
		if after := w.read(home.Config()); !bytes.Equal(before, after) {
			t.Errorf("the person's configuration has become\n%s", after)
		}
	})
	return w
}

func (w *codexWorld) read(file string) []byte {
	w.T.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		w.T.Fatal(err)
	}
	return b
}

// open starts Codex with a prompt in a new pane and returns its id.
func (w *codexWorld) open(prompt string) string {
	w.T.Helper()
	return strings.TrimSpace(w.Verb("new", "--agent", "codex", "--cwd", w.home.Work, "--", prompt))
}

func (w *codexWorld) made(name string) bool {
	_, err := os.Stat(filepath.Join(w.home.Work, name))
	return err == nil
}

func (w *codexWorld) result(id string) string {
	w.T.Helper()
	ctx, cancel := place.Patience(w.T)
	defer cancel()
	r, err := w.model.Result(ctx, id)
	if err != nil {
		w.T.Fatal(err)
	}
	return r
}

// rule is a model that makes calls one after the other, then ends its turn.
func rule(match string, calls ...model.Call) model.Rule {
	r := model.Rule{Match: match}
	for _, c := range calls {
		r.Turns = append(r.Turns, model.Turn{Calls: []model.Call{c}})
	}
	r.Turns = append(r.Turns, model.Turn{Text: "The turn is over."})
	return r
}

func TestCodexOnce(t *testing.T) {
	w := newCodexWorld(t, rule("#go", codex.Escalated("call_1", "echo made > made.txt")))
	pane := w.open("#go")
	d := w.Events.Added(pane, "Bash", "echo made > made.txt")
	w.Verb("answer", d.ID, proto.OptionOnce)
	w.result("call_1")
	if !w.made("made.txt") {
		t.Error("no file: " + w.result("call_1"))
	}
	w.Verb("wait", pane, "--until", "done,idle", "--timeout", "60s")
}
