package adapters

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// codexSource is where Codex says that hooks given by -c come from.
const codexSource = "/<session-flags>/config.toml"

// launchCodex gives Codex its hooks by one -c for this run, and their trust
// with them, so that no file is touched and no dialog asks for a review. The
// person's own hooks and what they have trusted stand beside it. Any -c also
// keeps Codex in its own process: without one it joins a daemon that runs
// tools in the environment of whichever pane came first.
func launchCodex(l Launch) (Command, error) {
	if err := codexArguments(l.Argv); err != nil {
		return Command{}, err
	}
	told, err := codexPolicy(l.Policy)
	if err != nil {
		return Command{}, err
	}
	a, _ := Lookup("codex")
	return Command{
		Argv:  slices.Concat([]string{a.Binary, "-c", a.codexHooks(l.Self, l.Policy)}, told, l.Argv),
		Shown: append([]string{a.Binary}, l.Argv...),
	}, nil
}

// codexArguments refuses what would take our hooks away: of two -c with one
// key Codex takes the last one only.
func codexArguments(argv []string) error {
	flags, _ := splitPrompt(argv)
	for i, arg := range flags {
		if arg == "--remote" || strings.HasPrefix(arg, "--remote=") {
			return errors.New("--remote runs the agent in another process, which has no hooks of this pane; start it without --agent: signaltty new -- codex --remote …")
		}
		value, ok := codexOverride(flags, i)
		key, _, _ := strings.Cut(value, "=")
		if key = strings.TrimSpace(key); ok && (key == "hooks" || strings.HasPrefix(key, "hooks.")) {
			return fmt.Errorf("-c %s would take the place of signaltty's hooks; put your own hooks into config.toml, where both run", key)
		}
	}
	return nil
}

// codexOverride is the value of the -c that stands at i, if one does.
func codexOverride(flags []string, i int) (string, bool) {
	for _, flag := range []string{"--config=", "-c=", "-c"} {
		if value, ok := strings.CutPrefix(flags[i], flag); ok && value != "" && !strings.HasPrefix(flags[i], "--config-") {
			return value, true
		}
	}
	if (flags[i] == "-c" || flags[i] == "--config") && i+1 < len(flags) {
		return flags[i+1], true
	}
	return "", false
}

// codexHooks is the value of -c: all hooks, and the hash of each by which it
// is trusted, in TOML on one line.
func (a Adapter) codexHooks(self string, p Policy) string {
	var hooks, trust []string
	for _, e := range a.installed(p) {
		command := shellLine(append([]string{self}, a.HookArgs(e)...))
		hooks = append(hooks, fmt.Sprintf("%s=[{hooks=[{type=\"command\",command=%s,timeout=%d}]}]", e.Name, jsonText(command), e.TimeoutSeconds))
		key := jsonText(codexSource + ":" + snake(e.Name) + ":0:0")
		trust = append(trust, fmt.Sprintf("%s={trusted_hash=\"sha256:%s\"}", key, codexHash(e, command)))
	}
	return "hooks={" + strings.Join(hooks, ",") + ",state={" + strings.Join(trust, ",") + "}}"
}

// codexHash is how Codex recognises a hook that was trusted: the SHA-256 of its
// description as JSON with sorted keys. Its own figures are to be had from
// `codex app-server` by the method hooks/list (e2e compares them).
func codexHash(e EventRow, command string) string {
	text := fmt.Sprintf(`{"event_name":%q,"hooks":[{"async":false,"command":%s,"timeout":%d,"type":"command"}]}`,
		snake(e.Name), jsonText(command), e.TimeoutSeconds)
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// snake is PreToolUse as pre_tool_use.
func snake(name string) string {
	var b strings.Builder
	for i, r := range name {
		if i > 0 && 'A' <= r && r <= 'Z' {
			b.WriteByte('_')
		}
		b.WriteString(strings.ToLower(string(r)))
	}
	return b.String()
}

// jsonText is s as a JSON string, which is a TOML string too.
func jsonText(s string) string {
	line, err := encodePlain(s)
	if err != nil {
		return `""` // a string can always be encoded
	}
	return strings.TrimSuffix(string(line), "\n")
}

// shellLine quotes arguments for a POSIX shell.
func shellLine(args []string) string {
	quoted := make([]string, len(args))
	for i, a := range args {
		quoted[i] = a
		if strings.Trim(a, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:,@+=") != "" || a == "" {
			quoted[i] = "'" + strings.ReplaceAll(a, "'", `'\''`) + "'"
		}
	}
	return strings.Join(quoted, " ")
}
