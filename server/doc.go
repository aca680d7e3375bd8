// Package server owns the processes, PTYs, client connections and holds of
// signaltty, and the socket that all of it is reached by.
//
// It promises that a slow client delays nobody, that a child which does not
// read costs a bounded queue, that a peer with an agent among its ancestors
// can read and deliver hook events only, and that Run returns after every
// goroutine that it started has.
//
// The state and its transitions are not here but in package store; this
// package turns what happens outside (lines on the socket, bytes on a PTY,
// the end of a process) into calls of it, and its events into lines.
//
// It may import proto, adapters, store, and its own subpackages.
package server
