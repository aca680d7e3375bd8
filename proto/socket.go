package proto

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
)

// The environment variables of a pane.
const (
	EnvSocket = "SIGNALTTY_SOCKET"
	EnvPane   = "SIGNALTTY_PANE"
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
