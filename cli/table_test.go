package cli

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"signaltty/budget"
	"signaltty/proto"
	"signaltty/tui"
)

func TestListText(t *testing.T) {
	panes := []proto.Pane{
		{ID: "p1", Agent: "claude", State: proto.StateBlocked, Size: proto.Size{Cols: 80, Lines: 24}, Pending: 2, Title: "a\x1b[2Jb"},
		{ID: "p2", State: proto.StateUnknown},
		{ID: "p12", State: proto.StateExited, Exit: &proto.Exit{Code: -1, Signal: "SIGKILL"}},
	}
	var b strings.Builder
	if err := list(&b, false, paneColumns, panes); err != nil {
		t.Fatal(err)
	}
	want := `ID   WORKSPACE  TAB  AGENT   NAME  STATE    SINCE  ATTENTION  PENDING  SIZE   PID  EXIT     CWD  TITLE
p1   -          -    claude  -     blocked  -      -          2        80x24  0    -        -    a\x1b[2Jb
p2   -          -    -       -     -        -      -          0        0x0    0    -        -    -
p12  -          -    -       -     exited   -      -          0        0x0    0    SIGKILL  -    -
`
	if got := b.String(); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

func TestListOfNothingIsNothing(t *testing.T) {
	for _, asJSON := range []bool{false, true} {
		var b strings.Builder
		if err := list(&b, asJSON, paneColumns, nil); err != nil || b.Len() > 0 {
			t.Errorf("got %q, %v", b.String(), err)
		}
	}
}

// What scripts rely on: the names, and that a line is an object.
func TestListJSON(t *testing.T) {
	var b strings.Builder
	d := proto.Decision{
		ID: "d1", Pane: "p1", Prompt: "ls && rm <x> \u202e", Input: json.RawMessage(`{"command":"ls"}`),
		Options: []proto.Option{{ID: proto.OptionOnce, Label: "Once"}}, ReceivedAt: time.Date(2026, 12, 1, 9, 30, 0, 0, time.UTC),
	}
	if err := list(&b, true, decisionColumns, []proto.Decision{d, d}); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
	if len(lines) != 2 || lines[0] != lines[1] {
		t.Fatalf("got %d lines:\n%s", len(lines), b.String())
	}
	if !strings.Contains(lines[0], `"summary":"ls && rm <x> \u202e"`) {
		t.Errorf("the summary is not readable, or not safe: %s", lines[0])
	}
	var m map[string]any
	if err := json.Unmarshal([]byte(lines[0]), &m); err != nil {
		t.Fatal(err)
	}
	for _, name := range strings.Fields("id pane agent session kind tool summary input options since deadline") {
		if _, ok := m[name]; !ok {
			t.Errorf("a decision has no %s", name)
		}
	}
	if m["summary"] != d.Prompt {
		t.Errorf("the summary reads back as %q", m["summary"])
	}
}

func TestAge(t *testing.T) {
	tests := map[time.Duration]string{
		5 * time.Second: "5s", 59 * time.Second: "59s", 61 * time.Second: "1m01s", 3*time.Hour + 5*time.Minute: "3h05m", 50 * time.Hour: "50h00m",
	}
	for d, want := range tests {
		if got := short(d); got != want {
			t.Errorf("%v is %q, want %q", d, got, want)
		}
	}
	if got := age(time.Time{}); got != "-" {
		t.Errorf("no time is %q", got)
	}
	if got := age(time.Now().Add(time.Hour)); !strings.HasPrefix(got, "in ") {
		t.Errorf("a time to come is %q", got)
	}
}

func TestVisible(t *testing.T) {
	tests := []struct{ in, want string }{
		{"plain text, ümlaut, 漢字, 👍", "plain text, ümlaut, 漢字, 👍"},
		{"✳️", "✳️"}, // the emoji selector is how agents draw their mark
		{"a\nb\tc\rd", `a\nb→   c\rd`},
		{"\x1b[31m\x07\x00\x7f", `\x1b[31m\x07\x00\x7f`},
		{"\u202eabc\u2066", `⟨U+202E⟩abc⟨U+2066⟩`},
		{"a\u200bb\u2060c\ufeff", `a⟨U+200B⟩b⟨U+2060⟩c⟨U+FEFF⟩`},
		{"\u00a0\u3000\u2003", `⟨U+00A0⟩⟨U+3000⟩⟨U+2003⟩`},
		{"\U000e0041\U000e0100\u034f\u3164", `⟨U+E0041⟩⟨U+E0100⟩⟨U+034F⟩⟨U+3164⟩`},
		{"\x9b31m", `\?31m`},
		{"a\u2800b", `a⟨U+2800⟩b`},
		{"a" + strings.Repeat(" ", 23) + "b", "a" + strings.Repeat(" ", 23) + "b"},
		{"ls" + strings.Repeat(" ", 5000) + "; rm", "ls⟨5000 blanks⟩; rm"},
		{strings.Repeat(" ", 24), "⟨24 blanks⟩"},
	}
	for _, tt := range tests {
		if got := visible(tt.in); got != tt.want {
			t.Errorf("%q is shown as %s, want %s", tt.in, got, tt.want)
		}
	}
}

func FuzzVisible(f *testing.F) {
	f.Add("ls\x1b[2K\u202e")
	f.Add("\xff\xfe")
	f.Fuzz(func(t *testing.T, s string) {
		budget.Keep(t, len(s), 500, func() {
			shown := visible(s)
			if strings.ContainsFunc(shown, unicode.IsControl) {
				t.Errorf("%q is shown as %q, which a terminal obeys", s, shown)
			}
			data, err := encode(s)
			if err != nil {
				t.Fatal(err)
			}
			var back string
			if err := json.Unmarshal(data, &back); err != nil || strings.ContainsFunc(string(data), func(r rune) bool { return r != ' ' && tui.Hidden(r) }) {
				t.Errorf("%q is written as %s: %v", s, data, err)
			}
			if utf8.ValidString(s) && back != s {
				t.Errorf("%q reads back as %q", s, back)
			}
		})
	})
}
