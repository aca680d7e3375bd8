// Package proto is the vocabulary of signaltty: every message that travels
// over the socket, once.
//
// It owns the table of kinds (Kinds), the types of their parameters and
// results, the JSONL connection (Conn), the error codes, and the place of the
// socket. What is defined here is what the store holds and what the client
// draws: there are no twins of these types elsewhere.
//
// It promises that a line longer than MaxLine is refused while it is read,
// that unknown fields are ignored, that a field of the wrong type is refused
// by name, and that the names on the wire are strings that do not change
// meaning.
//
// It may import the standard library only.
package proto
