package server

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"signaltty/proto"
)

// turnCommand is the program of a turn's pane: this binary, which runs the
// agent and tells what it does. What the turn is goes by a file, since a
// prompt may be longer than a command line and is nobody else's to read.
func (s *Server) turnCommand(p *pane, spec proto.TurnSpec) ([]string, error) {
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
