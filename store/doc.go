// Package store owns the state of signaltty and its transitions: workspaces,
// panes, agent sessions, decisions; and the audit, in SQLite.
//
// It promises that every transition happens under one lock together with the
// events that tell of it, so that all clients see one order; that a decision
// ends exactly once, in one of the ways of proto.End; that no lock is held
// across I/O; and that a verdict is released only after its audit row is on
// disk. What must happen outside the lock (the release of a hold) is done by
// the transition's caller inside this package, after unlocking.
//
// It may import proto and the SQLite driver. It knows nothing of processes,
// sockets or screens: what it needs of them comes in as values, and holds
// come in as the one-method interface Hold.
package store
