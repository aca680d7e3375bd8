package proto

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
)

// The environment variables of a pane.
const (
	EnvSocket = "SIGNALTTY_SOCKET"
	EnvPane   = "SIGNALTTY_PANE"
	// EnvDecide is set in a pane whose person chose decisions of an agent that
	// gives them in a mode of its own only. Its name must not look like a
	// secret's: Gemini CLI can drop those from a hook's environment.
	EnvDecide = "SIGNALTTY_DECIDE"
	// EnvCanary is the token of a try of a hook, which no pane has.
	EnvCanary = "SIGNALTTY_CANARY"
)

// RuntimeDir is where the socket and the panes' files live: a 0700 directory
// of this user. It is not created here.
func RuntimeDir() string {
	if d := os.Getenv("XDG_RUNTIME_DIR"); filepath.IsAbs(d) {
		return filepath.Join(d, "signaltty")
	}
	return filepath.Join(os.TempDir(), "signaltty-"+strconv.Itoa(os.Getuid()))
}

// SocketPath is where the server listens: SIGNALTTY_SOCKET, else a name in RuntimeDir.
func SocketPath() string {
	if s := os.Getenv(EnvSocket); s != "" {
		return s
	}
	return filepath.Join(RuntimeDir(), "server.sock")
}

// CheckSocketPath refuses a path that is longer than the system takes for a
// socket (107 bytes on Linux, 103 on macOS). The system itself says no more
// than "invalid argument".
func CheckSocketPath(path string) error {
	// The kernel's field holds the closing zero too.
	if longest := len(syscall.RawSockaddrUnix{}.Path) - 1; len(path) > longest {
		return fmt.Errorf("the socket path %s is %d bytes long and the system takes %d; set SIGNALTTY_SOCKET to a shorter one", path, len(path), longest)
	}
	return nil
}

// StateDir is where the database lives.
func StateDir() (string, error) {
	return xdg("XDG_STATE_HOME", ".local/state")
}

// ConfigDir is where config.toml lives.
func ConfigDir() (string, error) {
	return xdg("XDG_CONFIG_HOME", ".config")
}

func xdg(env, fallback string) (string, error) {
	if d := os.Getenv(env); filepath.IsAbs(d) {
		return filepath.Join(d, "signaltty"), nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", fmt.Errorf("finding a place for signaltty's files: %w; set HOME or %s", err, env)
	}
	return filepath.Join(home, fallback, "signaltty"), nil
}
