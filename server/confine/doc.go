// Package confine limits by the kernel (Landlock) where a process and all that
// it starts may write, and to which TCP ports it may connect.
//
// It owns the translation of paths and globs to what the kernel can grant,
// which is files and whole directories, and tells what it had to widen. It
// promises that a limited process cannot be unlimited again, that what it
// starts is limited likewise, and that an error means that nothing was limited
// and nothing may be run. NotCovered lists what the kernel does not refuse.
//
// It runs in the process that is to become the limited program, right before
// exec. It may import go-landlock and golang.org/x/sys/unix.
package confine
