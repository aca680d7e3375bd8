// Package field holds signaltty to what people who run several coding agents
// reported of such tools. Its tests have the names of those reports
// (docs/field-reports.md lists them); the others are the endings of a decision
// that no report is about.
//
// Each test drives the built binary: its server, its verbs, its TUI on a PTY,
// and hooks that are processes of it, with payloads as Claude Code sends them.
// The agent is the built-in mock, a shell, or nobody. None of them sleeps.
//
// script/breaks shows that they can fail.
package field
