package cli

import (
	"strings"
	"testing"
	"time"

	"signaltty/budget"
	"signaltty/tui"
)

func TestParseConfig(t *testing.T) {
	c, err := parseConfig("config.toml", []byte(`
# comments stay the person's own
[keys]
prefix = "ctrl+g"
once = ["y", "enter"]

[wait]
beside = "10m"
only = "30s"

[history]
lines = 500

[notify]
desktop = "osc9"
command = ["my-notify", ""]
bell = false
on_decision = ["sh", "-c", "cat > /dev/null"]
`))
	if err != nil {
		t.Fatal(err)
	}
	if c.waitBeside != 10*time.Minute || c.waitOnly != 30*time.Second || c.historyLines != 500 {
		t.Errorf("got %+v", c)
	}
	if n := c.notify; n.Desktop != tui.DesktopOSC9 || len(n.Command) != 2 || n.Bell || len(c.onDecision) != 3 {
		t.Errorf("notify is %+v, on_decision %q", n, c.onDecision)
	}
	want := tui.DefaultKeys()
	if err := want.Set("prefix", "ctrl+g"); err != nil {
		t.Fatal(err)
	}
	if got := c.keys["prefix"]; len(got) != 1 || got[0] != want["prefix"][0] {
		t.Errorf("the prefix is %v", got)
	}
	if got := c.keys["once"]; len(got) != 2 {
		t.Errorf("once has the keys %v, want two", got)
	}
	if got := c.keys["deny"]; len(got) != 1 || got[0] != want["deny"][0] {
		t.Errorf("deny lost its default and has %v", got)
	}
}

func TestEmptyConfigIsTheDefault(t *testing.T) {
	for _, text := range []string{"", "# nothing yet\n", "[keys]\n[wait]\n"} {
		c, err := parseConfig("config.toml", []byte(text))
		if err != nil {
			t.Errorf("%q: %v", text, err)
		}
		if d := defaultConfig(); c.waitBeside != d.waitBeside || c.waitOnly != d.waitOnly || c.historyLines != d.historyLines || len(c.keys) != len(d.keys) {
			t.Errorf("%q gives %+v", text, c)
		}
	}
}

// What is wrong is named with its line and what is allowed there.
func TestConfigErrors(t *testing.T) {
	tests := []struct {
		name, text string
		want       []string // one for each line of the error
	}{
		{"unknown section", "[colours]\nbar = \"red\"\n", []string{`config.toml:1: there is no setting "colours"; there are [wait] with beside, only and hooks, [history] with lines, [audit] with sink, anchor and rows, [notify] with desktop, command, bell and on_decision, and [keys]`}},
		{"unknown desktop", "[notify]\ndesktop = \"growl\"\n", []string{`config.toml:2: notify.desktop is growl; it is one of ["auto" "osc9" "osc99" "osc777" "notify-send" "none"]`}},
		{"a command as one string", "[notify]\non_decision = \"ntfy\"\n", []string{`config.toml:2: notify.on_decision is ntfy; it is a command and its arguments, such as ["sh", "-c"`}},
		{"bell of a wrong type", "[notify]\nbell = \"yes\"\n", []string{`config.toml:2: notify.bell is yes; it is true or false`}},
		{"unknown key of notify", "[notify]\nsound = true\n", []string{`config.toml:2: there is no setting "notify.sound"`}},
		{"unknown key", "\nprefix = \"ctrl+a\"\n", []string{`config.toml:2: there is no setting "prefix"`}},
		{"unknown key in a section", "[wait]\n\nhere = \"1m\"\n", []string{`config.toml:3: there is no setting "wait.here"`}},
		{"unknown command", "[keys]\naccept = \"y\"\n", []string{`config.toml:2: key name "accept" is not known; the names are prefix, once`}},
		{"unknown command of a wrong type", "[keys]\naccept = 7\n", []string{`config.toml:2: key name "accept" is not known`}},
		{"bad chord", "[keys]\nonce = \"ctlr+y\"\n", []string{`config.toml:2: key once: key "ctlr+y" is not known; write one character, or one of`}},
		{"no chord", "[keys]\nonce = []\n", []string{`config.toml:2: key once has no key`}},
		{"chord of a wrong type", "[keys]\nonce = 5\n", []string{`config.toml:2: keys.once is 5; it is a key such as "ctrl+]", or a list of keys`}},
		{"chord of a wrong type in a list", "[keys]\nonce = [\"y\", 5]\n", []string{`config.toml:2: keys.once has 5 in its list`}},
		{"bare prefix", "[keys]\nprefix = \"a\"\n", []string{`config.toml:2: key prefix: a alone is a key that panes need`}},
		{"one key for two", "[keys]\nonce = \"n\"\n", []string{`config.toml:2: key once: n is deny too, by default; give one of them another key`}},
		{"one key for two that are set", "[keys]\nonce = \"g\"\n\ndeny = [\"n\", \"g\"]\n", []string{`config.toml:4: key deny: g is once too, in line 2; give one of them another key`}},
		{"one key twice for one", "[keys]\nonce = [\"g\", \"g\"]\n", []string{`config.toml:2: key once: g is given twice`}},
		{"a command on the prefix", "[keys]\nonce = \"ctrl+]\"\n", []string{`config.toml:2: key once: ctrl+] is prefix too, by default`}},
		{"the prefix on a command", "[keys]\nonce = \"ctrl+g\"\nprefix = \"ctrl+g\"\n", []string{`config.toml:3: key prefix: ctrl+g is once too, in line 2`}},
		{"a pane's number", "[keys]\nonce = \"1\"\n", []string{`config.toml:2: key once: 1 turns to pane 1; take another key`}},
		{"esc", "[keys]\nonce = \"esc\"\n", []string{`config.toml:2: key once: esc takes the prefix back; take another key`}},
		{"several wrong keys", "[keys]\nprefix = [\"enter\", \"ctrl+c\"]\nonce = \"n\"\nzoom = \"9\"\nrename = \"ctlr+x\"\n", []string{
			`config.toml:2: key prefix: enter alone is a key that panes need; add ctrl+ or alt+`,
			`config.toml:2: key prefix: ctrl+c is a key that panes need (interrupt)`,
			`config.toml:3: key once: n is deny too, by default`,
			`config.toml:4: key zoom: 9 turns to pane 9`,
			`config.toml:5: key rename: key "ctlr+x" is not known`,
		}},
		{"a wrong key clashes with nothing", "[keys]\nonce = \"ctlr+y\"\ndeny = \"y\"\n", []string{`config.toml:2: key once: key "ctlr+y" is not known`}},
		{"wait of a wrong type", "[wait]\nbeside = 30\n", []string{`config.toml:2: wait.beside is 30; it is a time from "1s" to "24h"`}},
		{"wait too long", "[wait]\nonly = \"25h\"\n", []string{`config.toml:2: wait.only is 25h; it is a time from "1s" to "24h"`}},
		{"wait that is none", "[wait]\nonly = \"soon\"\n", []string{`config.toml:2: wait.only is soon; it is a time`}},
		{"relative sink", "[audit]\nsink = \"audit.jsonl\"\n", []string{`config.toml:2: audit.sink is audit.jsonl; it is the full path of a file or a FIFO, such as "/run/collector/audit"`}},
		{"anchor as one string", "[audit]\nanchor = \"ssh safe\"\n", []string{`config.toml:2: audit.anchor is ssh safe; it is a command and its arguments, such as ["ssh", "safe", "cat >> heads"]`}},
		{"too few rows", "audit = { rows = 5 }\n", []string{`config.toml:1: audit.rows is 5; it is a number of rows from 1000 to 10000000`}},
		{"unknown setting of the audit", "[audit]\nsinks = 1\n", []string{`config.toml:2: there is no setting "audit.sinks"; there are [wait] with beside, only and hooks, [history] with lines, [audit] with sink, anchor and rows, [notify] with desktop, command, bell and on_decision, and [keys]`}},
		{"negative history", "[history]\nlines = -1\n", []string{`config.toml:2: history.lines is -1; it is a number of lines from 0 to 1000000`}},
		{"section that is a value", "wait = 3\n", []string{`config.toml:1: `}},
		{"syntax", "[keys]\nonce = y\n", []string{`config.toml:2: `}},
		{"same key twice", "[wait]\nonly = \"1m\"\nonly = \"2m\"\n", []string{`config.toml:3: `}},
		{"inline table", "keys = { accept = \"y\" }\n", []string{`config.toml:1: key name "accept" is not known`}},
		{"all at once", "[wait]\nonly = 1\nbeside = 2\n", []string{`config.toml:2: wait.only`, `config.toml:3: wait.beside`}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := parseConfig("config.toml", []byte(tt.text))
			if err == nil {
				t.Fatal("there is no error")
			}
			got := strings.Split(err.Error(), "\n")
			if len(got) != len(tt.want) {
				t.Fatalf("got %d errors, want %d:\n%v", len(got), len(tt.want), err)
			}
			for i, want := range tt.want {
				if !strings.HasPrefix(got[i], want) {
					t.Errorf("got  %s\nwant %s", got[i], want)
				}
			}
		})
	}
}

// A prefix that takes a key away from every program in the panes is refused.
func TestPrefixes(t *testing.T) {
	for _, key := range []string{"a", "Y", "enter", "tab", "shift+tab", "esc", "space", "up", "backspace", "ctrl+c", "ctrl+d", "ctrl+z", "ctrl+[", "ctrl+i", "ctrl+m"} {
		if _, err := parseConfig("config.toml", []byte("[keys]\nprefix = \""+key+"\"\n")); err == nil {
			t.Errorf("%s may be the prefix", key)
		}
	}
	for _, key := range []string{"ctrl+a", "ctrl+]", "alt+x", "f12", "ctrl+space"} {
		if _, err := parseConfig("config.toml", []byte("[keys]\nprefix = \""+key+"\"\n")); err != nil {
			t.Errorf("%s may not be the prefix: %v", key, err)
		}
	}
}

func FuzzConfig(f *testing.F) {
	f.Add("[keys]\nonce = [\"y\"]\n[wait]\nonly = \"1m\"\n")
	f.Add("keys.once = \"y\"\nhistory = { lines = 5 }\n")
	f.Add("[[keys]]\n\"a.b\" = 1\n")
	f.Fuzz(func(t *testing.T, text string) {
		budget.Keep(t, len(text), 2000, func() {
			c, err := parseConfig("config.toml", []byte(text))
			if err == nil && (c.waitOnly < minWait || c.waitBeside > maxWait || c.historyLines < 0) {
				t.Errorf("%q gives %+v", text, c)
			}
		})
	})
}
