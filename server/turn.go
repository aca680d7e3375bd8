package server

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"

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
