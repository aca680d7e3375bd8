// Package policy says whether an agent's tool call may run: a pure function
// of the person's rules and the call.
//
// It owns the format of policy.toml, the translation of a call into what it
// touches (paths, commands, hosts), the parsing of shell commands for it, the
// matching of rules, and the protection of signaltty's own files.
//
// It promises that deny beats ask and ask beats allow whatever their order,
// that a shell command is judged as it is parsed and never as text, that what
// cannot be understood is never allowed, that adding a deny never turns a deny
// into something else, and that no input makes it panic or run for long. What
// it needs of the file system (where a symlink leads) comes in as Files.
//
// It may import proto, a shell parser and a TOML parser.
package policy
