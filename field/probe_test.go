//go:build linux

package field

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/charmbracelet/x/term"

	"signaltty/proto"
)

// envProbe names the part that the test binary plays in a pane.
const envProbe = "FIELD_PROBE"

// probes are those parts. Each takes arguments and returns the exit code.
var probes = map[string]func(args []string) int{
	"keys":     keysProbe,
	"rebel":    rebelProbe,
	"elder":    elderProbe,
	"pictures": picturesProbe,
	"holder":   holderProbe,
	"sizes":    sizesProbe,
	"peak":     peakProbe,
}

// probe is a pane that runs a part of the test binary.
func (w *world) probe(name string, args ...string) string {
	w.T.Helper()
	return w.open(append([]string{"--"}, w.probeArgv(name, args...)...)...)
}

func (w *world) probeArgv(name string, args ...string) []string {
	w.T.Helper()
	self, err := os.Executable()
	if err != nil {
		w.T.Fatal(err)
	}
	return append([]string{"env", envProbe + "=" + name, self}, args...)
}

// keys is a program in a pane that notes what its terminal sends it.
type keys struct {
	w    *world
	pane string
	file string
}

// keys opens one that first writes text to its terminal.
func (w *world) keys(text string) *keys {
	w.T.Helper()
	k := &keys{w: w, file: filepath.Join(w.Work, fmt.Sprintf("keys-%d", serial.Add(1)))}
	k.pane = w.probe("keys", k.file, hex.EncodeToString([]byte(text)))
	w.Until("the program reads its keys", func() bool {
		_, err := os.Stat(k.file)
		return err == nil && w.Screen(k.pane).Has("reads keys")
	})
	return k
}

// keysProbe writes its second argument and appends each read to the file of
// the first, as a line of hex.
func keysProbe(args []string) int {
	text, err := hex.DecodeString(args[1])
	if err != nil {
		return 2
	}
	before, err := term.MakeRaw(os.Stdin.Fd())
	if err != nil {
		fmt.Println(err)
		return 1
	}
	defer term.Restore(os.Stdin.Fd(), before)
	file, err := os.OpenFile(args[0], os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		fmt.Println(err)
		return 1
	}
	defer file.Close()
	fmt.Printf("%sreads keys", text)
	buf := make([]byte, 1<<16)
	for {
		n, err := os.Stdin.Read(buf)
		if err != nil {
			return 0
		}
		fmt.Fprintf(file, "%x\n", buf[:n])
	}
}

// reads is what the program read so far, read by read.
func (k *keys) reads() []string {
	k.w.T.Helper()
	data, err := os.ReadFile(k.file)
	if err != nil {
		k.w.T.Fatal(err)
	}
	var list []string
	for line := range strings.Lines(string(data)) {
		b, err := hex.DecodeString(strings.TrimSuffix(line, "\n"))
		if err != nil {
			k.w.T.Fatal(err)
		}
		list = append(list, string(b))
	}
	return list
}

// gets waits until the program has read the text, and nothing but that.
func (k *keys) gets(want string) {
	k.w.T.Helper()
	got := ""
	k.w.Until(fmt.Sprintf("%q is read", want), func() bool {
		got = strings.Join(k.reads(), "")
		return len(got) >= len(want) || !strings.HasPrefix(want, got)
	})
	if got != want {
		k.w.T.Fatalf("the program read %q, want %q", got, want)
	}
}

// rebelProbe is what an agent's tool could do without the verbs: it dials the
// socket itself, claims to be this and that, and tries the methods that are
// the person's. It prints a line for each.
func rebelProbe(args []string) int {
	decision, pane := args[0], args[1]
	params := map[string]any{
		proto.MethodDecisionAnswer: proto.DecisionAnswer{Decision: decision, Option: proto.OptionOnce},
		proto.MethodPaneInput:      proto.PaneInput{Pane: pane, Data: []byte("1")},
		proto.MethodPanePaste:      proto.PanePaste{Pane: pane, Text: "1\r"},
		proto.MethodPaneNew:        proto.PaneNew{Argv: []string{"true"}},
		proto.MethodPaneClose:      proto.PaneRef{Pane: pane},
		proto.MethodPaneWatch:      proto.PaneWatch{Pane: pane},
		proto.MethodPaneSeen:       proto.PaneRef{Pane: pane},
		proto.MethodStop:           proto.None{},
	}
	for _, client := range []string{"attach", "answer", "hook", ""} {
		for _, k := range proto.Kinds {
			if k.Access != proto.Person {
				continue
			}
			fmt.Printf("%s\t%s\t%s\n", client, k.Name, rebel(client, k.Name, params[k.Name]))
		}
	}
	return 0
}

func rebel(client, method string, params any) string {
	c, _, err := proto.Dial(context.Background(), os.Getenv(proto.EnvSocket), proto.Hello{Client: client})
	if err != nil {
		return err.Error()
	}
	defer c.Close()
	if e, ok := errors.AsType[*proto.Error](c.Call(context.Background(), method, params, nil)); ok {
		return string(e.Code)
	}
	return "done"
}
