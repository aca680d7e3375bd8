// Package integration puts signaltty's hooks into the person's own settings of
// an agent, and takes them out again.
//
// It owns the edit of those files: what an agent's file looks like and what
// goes into it is its adapter's. It promises that comments, order, format and
// everything that is not ours stay as they are; that a file which is not
// understood is refused with the position and not touched; that installing
// twice changes nothing; that a file is replaced as a whole or not at all,
// with its mode and owner, the target of a link and not the link; and that
// taking out leaves the bytes that were there before, also where the person
// changed other parts since.
//
// It may import proto, adapters, hujson and golang.org/x/sys/unix.
package integration
