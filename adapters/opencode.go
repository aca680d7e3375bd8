package adapters

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"signaltty/proto"
)

// Facts about OpenCode below were measured on 1.18.33.

// openCodePlugin turns OpenCode's events into runs of our hook.
//
//go:embed opencode.mjs
var openCodePlugin []byte

// openCodeEvents have the names of OpenCode's own events and plugin hooks, but
// for plugin.ready and session.start, .interrupt and .end, which the plugin makes
// of others. OpenCode has no session before the first prompt.
var openCodeEvents = []EventRow{
	ask("permission.asked"),
	ask("question.asked"),
	tell("permission.replied", proto.MomentToolEnd),
	tell("question.replied", proto.MomentToolEnd),
	tell("question.rejected", proto.MomentToolEnd),
	gate("tool.execute.before", GateHolds),
	tell("tool.execute.after", proto.MomentToolEnd),
	tell("plugin.ready", proto.MomentReady),
	tell("session.start", proto.MomentSessionStart),
	tell("session.status", proto.MomentPrompt),
	tell("session.idle", proto.MomentTurnEnd),
	tell("session.error", proto.MomentTurnFail),
	tell("session.interrupt", proto.MomentInterrupt),
	tell("session.end", proto.MomentSessionEnd),
}

func init() {
	register(Adapter{
		Name:   "opencode",
		Title:  "OpenCode",
		Binary: "opencode",
		Events: openCodeEvents,
		Can: Capabilities{
			Kinds:       []string{proto.KindPermission, proto.KindQuestion},
			Always:      true,
			DenyMessage: true,
			Gate:        "every tool of the model; it fails closed. A plugin that runs after ours can still change the arguments",
			Told:        "commands and whole tools, as denies of its permissions; paths with native_paths = true; not hosts",
			Ungated:     "what other plugins do; what its MCP servers do once they are called",
			Unconfirmed: "By its own defaults it asks little (directories outside, .env files, loops): what it is to ask for is configured in it, under `permission`. Started with `--pure` or attached to another server it runs no plugin of ours.",
			// The ask of a subagent stands in the same dialog.
			Dialog:         proto.DialogBeside,
			SubagentDialog: proto.DialogBeside,
		},
		Launch: launchOpenCode,
		Resume: func(session string) []string { return []string{"--session", session} },
		Keep:   keepOpenCode,
		Call: func(tool string, input json.RawMessage) *proto.Call {
			c, _ := openCodeCall(tool, input)
			return boundCall(&c)
		},
		Decode: decodeOpenCode,
		Encode: encodeOpenCode,
		Turns:  openCodeTurns(),
	})
}

// openCodeHook is how the plugin runs one event's hook.
type openCodeHook struct {
	Args    []string `json:"args"`
	Seconds int      `json:"seconds"`
	Gate    bool     `json:"gate"`
}

// launchOpenCode gives OpenCode our plugin by its environment, beside what the
// person has there, so that no file of the person's is touched.
func launchOpenCode(l Launch) (Command, error) {
	a, _ := Lookup("opencode")
	var hooks struct {
		Command string                  `json:"command"`
		Events  map[string]openCodeHook `json:"events"`
	}
	hooks.Command, hooks.Events = l.Self, map[string]openCodeHook{}
	for _, e := range a.installed(l.Policy) {
		hooks.Events[e.Name] = openCodeHook{a.HookArgs(e), e.TimeoutSeconds, e.Fail == FailDeny}
	}
	table, err := encodePlain(hooks)
	if err != nil {
		return Command{}, err
	}
	plugin := filepath.Join(l.FilesDir, "opencode.mjs")
	denies, err := openCodePermission(l.Policy, l.Dir)
	if err != nil {
		return Command{}, err
	}
	content, err := addPlugin(lookupEnv(l.Env, openCodeContent), plugin, denies)
	if err != nil {
		return Command{}, err
	}
	c := Command{Argv: append([]string{a.Binary}, l.Argv...), Env: []string{openCodeContent + "=" + content}}
	for file, data := range map[string][]byte{plugin: openCodePlugin, filepath.Join(l.FilesDir, "opencode-hooks.json"): table} {
		if err := os.WriteFile(file, data, 0o600); err != nil {
			return Command{}, fmt.Errorf("writing the pane's plugin for OpenCode: %w", err)
		}
		c.Files = append(c.Files, file)
	}
	slices.Sort(c.Files)
	return c, nil
}

// openCodeContent is the variable whose text OpenCode merges over its
// configuration files. Its lists of plugins are joined, not replaced.
const openCodeContent = "OPENCODE_CONFIG_CONTENT"

// addPlugin adds a plugin to the configuration that a person has in the
// environment, whose other values stay as they are written.
func addPlugin(config, file string, denies map[string]map[string]string) (string, error) {
	f := fields{}
	if strings.TrimSpace(config) != "" {
		if err := json.Unmarshal(plainJSON([]byte(config)), &f); err != nil || f == nil {
			return "", fmt.Errorf("%s is not a JSON object (%v); correct it, or unset it", openCodeContent, err)
		}
	}
	var plugins []json.RawMessage
	if raw, ok := f["plugin"]; ok && json.Unmarshal(raw, &plugins) != nil {
		return "", fmt.Errorf("%s: \"plugin\" must be a list", openCodeContent)
	}
	spec, err := encodePlain((&url.URL{Scheme: "file", Path: file}).String())
	if err != nil {
		return "", err
	}
	if f["plugin"], err = encodePlain(append(plugins, spec)); err != nil {
		return "", err
	}
	if err := denyPermissions(f, denies); err != nil {
		return "", fmt.Errorf("%s: %w", openCodeContent, err)
	}
	out, err := encodePlain(f)
	return strings.TrimSpace(string(out)), err
}

// keepOpenCode keeps what holds for any session (`opencode --help` of 1.18.33).
func keepOpenCode(args []string) []string {
	return keepFlags(args, []string{"--pure", "--auto", "--mini", "--mdns", "--no-replay"},
		[]string{"--model", "-m", "--agent", "--port", "--hostname", "--mdns-domain", "--replay-limit", "--log-level"}, nil)
}

// lookupEnv is the last value of a variable in env, "" for none.
func lookupEnv(env []string, name string) string {
	for _, entry := range slices.Backward(env) {
		if value, ok := strings.CutPrefix(entry, name+"="); ok {
			return value
		}
	}
	return ""
}
