package server

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"signaltty/proto"
	"signaltty/server/policy"
)

// turnCommand is the program of a turn's pane: this binary, which runs the
// agent and tells what it does. What the turn is goes by a file, since a
// prompt may be longer than a command line and is nobody else's to read.
func (s *Server) turnCommand(p *pane, spec proto.TurnSpec) ([]string, error) {
	home, _ := os.UserHomeDir() // without one, ~ matches nothing
	limits, err := policy.Limit(spec, policy.Place{Home: home, Files: Disk{}, Fold: runtime.GOOS == "darwin"})
	if err != nil {
		return nil, proto.Errorf(proto.CodeBadRequest, "%v", err)
	}
	p.limits = limits
	if spec.ID, err = turnID(); err != nil {
		return nil, err
	}
	text, err := json.Marshal(spec)
	if err != nil {
		return nil, fmt.Errorf("encoding the turn: %w", err)
	}
	file := filepath.Join(p.files, "turn.json")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		return nil, fmt.Errorf("writing the turn: %w", err)
	}
	return []string{s.self, "turn", file}, nil
}

// turnID names a turn: when it began, and enough more to tell it apart.
func turnID() (string, error) {
	var more [4]byte
	if _, err := rand.Read(more[:]); err != nil {
		return "", fmt.Errorf("naming the turn: %w", err)
	}
	return fmt.Sprintf("%s-%x", time.Now().UTC().Format("20060102-150405"), more), nil
}
