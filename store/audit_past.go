package store

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"signaltty/proto"
)

// AuditStatus is how the audit is.
func (s *Store) AuditStatus() proto.AuditStatus {
	head, trouble := s.audit.anchor.status()
	path, dropped, dry := s.audit.sink.status()
	if trouble != "" && dry != "" {
		trouble += "; "
	}
	return proto.AuditStatus{Rows: head.ID, Hash: head.Hash, Sink: path, Dropped: dropped, Trouble: trouble + dry}
}

// Settle returns when every row of before the call is on disk or has been
// refused by it, or when ctx ends: who reads the database then reads all that
// has been told of.
func (s *Store) Settle(ctx context.Context) {
	a := s.audit
	a.mu.Lock()
	last := a.pushed
	a.mu.Unlock()
	for {
		a.mu.Lock()
		settled, changed := a.settled, a.changed
		a.mu.Unlock()
		if settled >= last {
			return
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return
		}
	}
}

// Past is what was decided in a pane, the latest first, as far as the
// database keeps it.
func (r *Reader) Past(ctx context.Context, pane string, limit int) ([]proto.PastDecision, error) {
	if limit <= 0 || limit > proto.MaxPast {
		limit = proto.MaxPast
	}
	// The asks and refusals, and what is told of those.
	rows, err := selectRows(ctx, r.db, `pane = ?1 AND pane <> '' AND (id IN
			(SELECT id FROM audit WHERE pane = ?1 AND pane <> '' AND kind IN ('ask', 'guardrail_violation') ORDER BY id DESC LIMIT ?2)
		OR kind IN ('verdict', 'end') AND decision <> '') ORDER BY id`, pane, limit)
	if err != nil {
		return nil, fmt.Errorf("reading the decisions of pane %s: %w", pane, err)
	}
	past := []proto.PastDecision{}
	at := map[string]int{}
	for _, w := range rows {
		switch w.Kind {
		case RowAsk, RowViolation:
			if w.Decision != "" && w.Kind == RowAsk {
				at[w.Decision] = len(past)
			}
			past = append(past, begun(w))
		default:
			if i, ok := at[w.Decision]; ok {
				further(&past[i], w)
			}
		}
	}
	slices.Reverse(past)
	return past, nil
}

// told is what bodies say of a decision.
type told struct {
	Kind, Prompt, Subagent, Message, Cause, Reason string
	Client                                         string `json:"client_kind"`
	Waited                                         int64  `json:"waited_ms"`
}

func bodyOf(w Written) told {
	var b told
	_ = json.Unmarshal(w.Body, &b) // what it does not say stays empty
	return b
}

func begun(w Written) proto.PastDecision {
	b := bodyOf(w)
	at, _ := time.Parse(stampForm, w.At) // as it was written
	p := proto.PastDecision{ID: w.Decision, Agent: w.Agent, Subagent: b.Subagent, Kind: b.Kind, Tool: w.Tool, Prompt: b.Prompt, AskedAt: at}
	if w.Kind == RowViolation {
		p.Kind, p.End, p.Option, p.Rule, p.Message, p.Cause = "", proto.EndRule, proto.OptionDeny, w.Rule, b.Reason, b.Cause
	}
	return p
}

// further adds what a later row tells.
func further(p *proto.PastDecision, w Written) {
	b := bodyOf(w)
	switch w.Kind {
	case RowVerdict:
		p.Option, p.Rule, p.Message = w.Option, w.Rule, b.Message
		p.Client, p.ClientKind, p.UID, p.PID = w.Client, b.Client, w.UID, w.PID
	case RowEnd:
		p.End, p.Cause, p.WaitedMS = proto.End(w.End), b.Cause, b.Waited
	}
}
