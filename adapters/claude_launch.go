package adapters

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

const settingsFlag = "--settings"

// maxSettings is the largest settings file of a person that is read, in bytes.
const maxSettings = 4 << 20

// launchClaude gives Claude Code a settings file of this pane alone, so that
// its hooks reach signaltty and no file of the person's is touched. Of two
// --settings Claude takes the last one only, so the person's own is merged
// into ours and taken out of the arguments.
func launchClaude(l Launch) (Command, error) {
	args, own, err := takeSettings(l.Argv)
	if err != nil {
		return Command{}, err
	}
	user, err := readSettings(own, l.Dir)
	if err != nil {
		return Command{}, err
	}
	a, _ := Lookup("claude")
	merged, err := a.mergeHooks(user, l.Self, l.Policy)
	if err != nil {
		return Command{}, fmt.Errorf("%s: %w", settingsName(own), err)
	}
	file := filepath.Join(l.FilesDir, "claude-settings.json")
	// 0600: what is merged into it may hold the person's keys.
	if err := os.WriteFile(file, merged, 0o600); err != nil {
		return Command{}, fmt.Errorf("writing the pane's settings for Claude Code: %w", err)
	}
	argv := []string{a.Binary}
	flags, prompt := splitPrompt(args)
	argv = append(argv, flags...)
	argv = append(argv, settingsFlag, file)
	argv = append(argv, prompt...)
	return Command{Argv: argv, Files: []string{file}}, nil
}

// splitPrompt parts the arguments at "--", after which nothing is a flag.
func splitPrompt(args []string) (flags, prompt []string) {
	for i, a := range args {
		if a == "--" {
			return args[:i], args[i:]
		}
	}
	return args, nil
}

// takeSettings takes every --settings out of the arguments and returns the
// last one's value, "" when there is none.
func takeSettings(argv []string) (rest []string, value string, err error) {
	flags, prompt := splitPrompt(argv)
	for i := 0; i < len(flags); i++ {
		inline, isInline := strings.CutPrefix(flags[i], settingsFlag+"=")
		switch {
		case isInline:
			value = inline
		case flags[i] == settingsFlag && i+1 < len(flags):
			i++
			value = flags[i]
		case flags[i] == settingsFlag:
			return nil, "", errors.New("--settings needs a file or JSON after it")
		default:
			rest = append(rest, flags[i])
		}
	}
	return append(rest, prompt...), value, nil
}

func isInlineSettings(value string) bool {
	return strings.HasPrefix(strings.TrimSpace(value), "{")
}

// settingsName is how an error names the person's settings.
func settingsName(value string) string {
	if isInlineSettings(value) {
		return "the JSON given to --settings"
	}
	return "the settings file " + value
}

// readSettings reads the value of --settings: JSON, or a file relative to dir.
func readSettings(value, dir string) (fields, error) {
	if value == "" {
		return fields{}, nil
	}
	data := []byte(value)
	if !isInlineSettings(value) {
		var err error
		if data, err = readRegular(value, dir); err != nil {
			return nil, fmt.Errorf("reading %s: %w", settingsName(value), err)
		}
	}
	var f fields
	if err := json.Unmarshal(data, &f); err != nil {
		return nil, fmt.Errorf("%s is not a JSON object: %w; correct it, or start without --settings", settingsName(value), err)
	}
	if f == nil {
		f = fields{} // the file says null
	}
	return f, nil
}

// readRegular reads a file, and refuses a pipe: nobody may write to it, and
// reading would wait for ever.
func readRegular(path, dir string) ([]byte, error) {
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("it is not a regular file; give the JSON itself instead")
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxSettings+1))
	if len(data) > maxSettings {
		return nil, fmt.Errorf("it is larger than %d MiB", maxSettings>>20)
	}
	return data, err
}

// hookGroup is one entry of an event in Claude's settings, in exec form: with
// args Claude starts the command itself, with no shell and no quoting.
type hookGroup struct {
	Hooks []hookCommand `json:"hooks"`
}

type hookCommand struct {
	Type    string   `json:"type"`
	Command string   `json:"command"`
	Args    []string `json:"args"`
	Timeout int      `json:"timeout"` // seconds
}

// mergeHooks adds our hooks, and what a policy denies, to the person's
// settings, whose values stay as they are written. Theirs come first; Claude runs both.
func (a Adapter) mergeHooks(user fields, self string, p Policy) ([]byte, error) {
	denies, err := claudeDenies(p)
	if err == nil {
		err = denyIn(user, denies)
	}
	if err != nil {
		return nil, err
	}
	hooks := map[string][]json.RawMessage{}
	if raw, ok := user["hooks"]; ok {
		if err := json.Unmarshal(raw, &hooks); err != nil {
			return nil, fmt.Errorf("\"hooks\" must be an object of lists: %w", err)
		}
	}
	if hooks == nil {
		hooks = map[string][]json.RawMessage{} // "hooks": null
	}
	for _, e := range a.installed(p) {
		group, err := encodePlain(hookGroup{[]hookCommand{{"command", self, a.HookArgs(e), e.TimeoutSeconds}}})
		if err != nil {
			return nil, err
		}
		hooks[e.Name] = append(hooks[e.Name], group)
	}
	raw, err := encodePlain(hooks)
	if err != nil {
		return nil, err
	}
	user["hooks"] = raw
	return encodePlain(user)
}
