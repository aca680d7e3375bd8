package server

// becomeSubreaper does nothing: macOS gives orphans to launchd, always. There
// an agent's daemon is no longer recognised by its ancestors, only by its
// environment and its program.
func becomeSubreaper() error { return nil }
