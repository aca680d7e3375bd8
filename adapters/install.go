package adapters

import "encoding/json"

// Install is how an agent's user-level settings, a JSON file, take our hooks.
type Install struct {
	// File is the settings file of the person with this home and environment.
	File func(home string, env func(string) string) string
	// Entries are what goes into it, for this binary.
	Entries func(self string) ([]Entry, error)
	// Ours says that an element of such a list is one of ours, of whichever
	// version of signaltty.
	Ours func(element []byte) bool
	// Command is what the agent runs for an element of ours: the program and
	// its arguments, as the agent would start them.
	Command func(element []byte) []string
	// Off names what in a settings file keeps hooks from running; "" when
	// nothing does.
	Off func(settings []byte) string
	// Others are the files, beside File, that Off is asked about: those of a
	// project in dir, and the machine's.
	Others func(dir string) []string
	// Trust says why the agent would not run hooks in dir before the person
	// has answered its first questions; "" when nothing keeps it. Nil when that
	// cannot be told.
	Trust func(home string, env func(string) string, dir string) string
	// Canary is a payload of an event whose hook waits, and Refused says that
	// what the hook printed is a denial with these words. CanaryEnv is what the
	// hook's environment needs for that.
	CanaryEvent string
	CanaryEnv   []string
	Canary      func(dir string) []byte
	Refused     func(stdout []byte, message string) bool
}

// Entry is one element of one list of a settings file.
type Entry struct {
	Path  []string // names from the root to the list
	Event string   // the hook event that it is for
	Value []byte   // JSON
}

// installed is the argument by which a hook in a person's settings is known.
const installed = "--installed"

// installedArgs is the command line of an event's installed hook.
func (a Adapter) installedArgs(e EventRow) []string { return append(a.HookArgs(e), installed) }

// isObject says that raw is a JSON object, and gives its members.
func isObject(raw []byte) (fields, bool) {
	var f fields
	return f, json.Unmarshal(raw, &f) == nil && f != nil
}
