// Package tree holds a work tree to what a turn may write: it notes the tree
// before the turn, compares it after, and puts back what was changed outside.
//
// It owns the private copy of the earlier content, the comparison, the
// quarantine of what it takes out of the tree, and the return of commits and
// branches that may not stand.
//
// It promises that nothing is lost: what it takes out is moved to the
// quarantine, a commit to a ref of its own, and what it puts back is byte for
// byte what was there, a person's uncommitted edits included. It compares raw
// bytes; no filter, attribute, hook or setting of Git takes part. It changes a
// path only when the change can only be the turn's, and when the path still is
// as it was when it was compared. It never cleans and never checks out.
//
// What lies outside of the tree (the repository around the working directory,
// or the directory itself) it does not see.
//
// It may import proto and the standard library.
package tree
