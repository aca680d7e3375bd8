package adapters

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"

	"signaltty/proto"
)

// envGeminiSystem names the file whose settings Gemini CLI puts above all others.
const envGeminiSystem = "GEMINI_CLI_SYSTEM_SETTINGS_PATH"

// launchGemini gives Gemini CLI a system settings file of this pane alone, into
// which the one that stands already is merged. Gemini CLI takes such a file
// only where root alone could have written it, so a person who is not root has
// the hooks in the settings of their own (`signaltty integration install
// gemini`), or goes without: the title tells the state then.
func launchGemini(l Launch) (Command, error) {
	a, _ := Lookup("gemini")
	told, policy, err := geminiPolicy(l.Policy, l.FilesDir)
	if err != nil {
		return Command{}, err
	}
	c := Command{Argv: slices.Concat([]string{a.Binary}, told, l.Argv)}
	if policy != "" {
		c.Files = []string{policy}
	}
	installed := a.geminiInstalled(l)
	distrust := rootAlone(l.FilesDir)
	if distrust == nil && !installed {
		file, err := a.geminiSettings(l, geminiSystemFile(l.Env))
		if err != nil {
			return Command{}, err
		}
		c.Env, c.Files = []string{envGeminiSystem + "=" + file}, append(c.Files, file)
	}
	if !l.Decide {
		return c, nil
	}
	if err := errors.Join(geminiArguments(l.Argv), geminiHooksOff(l)); err != nil {
		return Command{}, err
	}
	if distrust != nil && !installed {
		return Command{}, fmt.Errorf("decisions need hooks, and Gemini CLI takes those of one pane only from files that root alone can write (%w); "+
			"run `signaltty integration install gemini` once, then start it again", distrust)
	}
	c.Argv = slices.Concat([]string{a.Binary, "--approval-mode", "yolo"}, told, l.Argv)
	c.Env = append(c.Env, proto.EnvDecide+"=1")
	return c, nil
}

// geminiArguments refuses what does not go with decisions made here.
func geminiArguments(argv []string) error {
	flags, _ := splitPrompt(argv)
	for _, arg := range flags {
		name, _, _ := strings.Cut(arg, "=")
		switch name {
		case "--approval-mode", "-y", "--yolo":
			return fmt.Errorf("%s does not go with decisions made here, which need the yolo mode and set it", name)
		case "-p", "--prompt":
			return fmt.Errorf("%s runs Gemini CLI without a terminal, where a decision that is handed back would hang; leave it out", name)
		}
	}
	return nil
}

func geminiSystemFile(env []string) string {
	if file := lookupIn(env, envGeminiSystem); file != "" {
		return file
	}
	if runtime.GOOS == "darwin" {
		return "/Library/Application Support/GeminiCli/settings.json"
	}
	return "/etc/gemini-cli/settings.json"
}

// geminiSettings writes the pane's settings.
func (a Adapter) geminiSettings(l Launch, own string) (string, error) {
	user, err := readGeminiSettings(own)
	if err == nil && user != nil {
		if err = rootAlone(own); err != nil {
			err = fmt.Errorf("it would not be taken by Gemini CLI: %w", err)
		}
	}
	var merged []byte
	if err == nil {
		merged, err = a.mergeGemini(user, l)
	}
	if err != nil {
		return "", fmt.Errorf("the system settings %s: %w", own, err)
	}
	file := filepath.Join(l.FilesDir, "gemini-settings.json")
	if err := os.WriteFile(file, merged, 0o600); err != nil {
		return "", fmt.Errorf("writing the pane's settings for Gemini CLI: %w", err)
	}
	return file, nil
}

// readGeminiSettings reads a settings file, which may have comments. It is nil
// when there is none.
func readGeminiSettings(file string) (fields, error) {
	data, err := readRegular(file, "/")
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	f := fields{}
	if err := json.Unmarshal(plainJSON(data), &f); err != nil {
		return nil, fmt.Errorf("it is not a JSON object: %w; correct it first", err)
	}
	return f, nil
}

// geminiGroup is one entry of an event in Gemini CLI's settings. Its time-outs
// are in milliseconds.
type geminiGroup struct {
	Hooks []geminiHook `json:"hooks"`
}

type geminiHook struct {
	Name    string `json:"name"`
	Type    string `json:"type"`
	Command string `json:"command"`
	Timeout int    `json:"timeout"`
}

// mergeGemini adds our hooks to settings, whose values stay as they are.
func (a Adapter) mergeGemini(user fields, l Launch) ([]byte, error) {
	hooks := map[string][]json.RawMessage{}
	if raw, ok := user["hooks"]; ok {
		if err := json.Unmarshal(raw, &hooks); err != nil {
			return nil, fmt.Errorf("\"hooks\" must be an object of lists: %w", err)
		}
	}
	if user == nil {
		user = fields{}
	}
	if hooks == nil {
		hooks = map[string][]json.RawMessage{}
	}
	entries, err := a.geminiEntries(l.Self, l.Policy)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		hooks[e.Event] = append(hooks[e.Event], e.Value)
	}
	raw, err := encodePlain(hooks)
	if err != nil {
		return nil, err
	}
	user["hooks"] = raw
	return encodePlain(user)
}

// geminiFiles are the settings that Gemini CLI merges, the person's own last.
func geminiFiles(l Launch) []string {
	home := first(lookupIn(l.Env, "GEMINI_CLI_HOME"), lookupIn(l.Env, "HOME"))
	files := []string{geminiSystemFile(l.Env), filepath.Join(l.Dir, ".gemini", "settings.json")}
	if home != "" {
		files = append(files, filepath.Join(home, ".gemini", "settings.json"))
	}
	return files
}

// geminiHooksOff says which settings turn hooks off: without them nothing
// would ask in yolo mode.
func geminiHooksOff(l Launch) error {
	for _, file := range geminiFiles(l) {
		f, err := readGeminiSettings(file)
		if err != nil {
			return fmt.Errorf("the settings %s: %w", file, err)
		}
		if raw, ok := f["hooksConfig"]; ok && hooksOff(raw) {
			return fmt.Errorf("the settings %s turn hooks off by \"hooksConfig\", and without them nothing would ask; change that first", file)
		}
	}
	return nil
}

// hooksOff says that the value of hooksConfig turns all hooks off, or ours.
func hooksOff(raw json.RawMessage) bool {
	var config struct {
		Enabled  *bool    `json:"enabled"`
		Disabled []string `json:"disabled"`
	}
	if json.Unmarshal(raw, &config) != nil {
		return true // what cannot be read may say so
	}
	return config.Enabled != nil && !*config.Enabled ||
		slices.ContainsFunc(config.Disabled, func(name string) bool { return strings.Contains(name, "signaltty") })
}

// geminiInstalled says that our BeforeTool hook stands in the person's own
// settings: then the pane gets none of its own.
func (a Adapter) geminiInstalled(l Launch) bool {
	files := geminiFiles(l)
	f, err := readGeminiSettings(files[len(files)-1])
	row, _ := a.Event("BeforeTool")
	return err == nil && len(files) > 2 && strings.Contains(f.text("hooks"), strings.Join(a.HookArgs(row), " "))
}

// lookupIn finds a variable in "NAME=value" lines; the last one counts.
func lookupIn(env []string, name string) string {
	for _, entry := range slices.Backward(env) {
		if value, ok := strings.CutPrefix(entry, name+"="); ok {
			return value
		}
	}
	return ""
}

// rootAlone says why others than root could have written a file or directory:
// the test that Gemini CLI puts its system settings to (read in 0.61.0).
// Every directory above counts, through links and as named.
func rootAlone(path string) error {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return err
	}
	for _, p := range []string{filepath.Clean(path), real} {
		for ; ; p = filepath.Dir(p) {
			info, err := os.Lstat(p)
			if err != nil {
				return err
			}
			owner, ok := info.Sys().(*syscall.Stat_t)
			switch {
			case !ok || owner.Uid != 0:
				return fmt.Errorf("%s is not root's", p)
			case info.Mode()&fs.ModeSymlink == 0 && info.Mode().Perm()&0o022 != 0:
				return fmt.Errorf("%s can be written by others", p)
			case p == filepath.Dir(p):
			default:
				continue
			}
			break
		}
	}
	return nil
}
