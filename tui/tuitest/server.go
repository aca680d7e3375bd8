package tuitest

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"slices"
	"sync"

	"signaltty/proto"
)

// Server plays the server: it shows the state it was given, writes down what
// it is asked, and answers as the real one does where a test depends on it.
type Server struct {
	mu     sync.Mutex
	wg     sync.WaitGroup
	snap   proto.Snapshot
	frames map[string]proto.Frame
	conn   *proto.Conn // the one client's; nil when there is none
	down   bool
	asked  []proto.Message
	mute   bool     // answers are not answered
	counts []string // keys of answers that counted
	back   []string // what scrolled off
	most   int      // rows of it in one part; 0 means all
	places proto.PaneHistoryPart
	past   []proto.PastDecision
	watch  func(proto.PaneInput)
}

// NewServer makes one without panes.
func NewServer() *Server { return &Server{frames: map[string]proto.Frame{}} }

// Dial connects to it, unless it is down.
func (s *Server) Dial(ctx context.Context) (*proto.Conn, proto.Welcome, error) {
	s.mu.Lock()
	down := s.down
	s.mu.Unlock()
	if down {
		return nil, proto.Welcome{}, proto.ErrNoServer
	}
	theirs, ours := net.Pipe()
	s.wg.Go(func() { s.serve(proto.NewConn(ours)) })
	c := proto.NewConn(theirs)
	w, err := c.Greet(ctx, proto.Hello{Client: "attach"})
	return c, w, err
}

func (s *Server) serve(c *proto.Conn) {
	defer c.Close()
	for {
		m, err := c.Read()
		if err != nil {
			return
		}
		s.mu.Lock()
		s.conn = c
		s.asked = append(s.asked, m)
		s.mu.Unlock()
		s.answer(c, m)
	}
}

func (s *Server) answer(c *proto.Conn, m proto.Message) {
	s.mu.Lock()
	snap, mute := s.snap, s.mute
	s.mu.Unlock()
	switch m.Method {
	case proto.MethodHello:
		c.Reply(m.ID, proto.Welcome{Version: proto.Version, Person: true}) //nolint:errcheck // the client may have gone
	case proto.MethodSubscribe:
		c.Reply(m.ID, snap) //nolint:errcheck // as above
	case proto.MethodPaneWatch:
		c.Reply(m.ID, proto.None{}) //nolint:errcheck // as above
		var p proto.PaneWatch
		if m.Decode(&p) == nil {
			s.mu.Lock()
			f, ok := s.frames[p.Pane]
			s.mu.Unlock()
			if ok {
				c.Event(proto.EventFrame, 0, f) //nolint:errcheck // as above
			}
		}
	case proto.MethodPaneCapture:
		s.mu.Lock()
		back := s.back
		s.mu.Unlock()
		c.Reply(m.ID, proto.PaneCaptured{Lines: back}) //nolint:errcheck // as above
	case proto.MethodPaneHistory:
		s.looked(c, m)
	case proto.MethodDecisionPast:
		s.mu.Lock()
		past := s.past
		s.mu.Unlock()
		c.Reply(m.ID, proto.PastDecisions{Decisions: past}) //nolint:errcheck // as above
	case proto.MethodPaneNew:
		s.started(c, m)
	case proto.MethodDecisionAnswer:
		if !mute {
			s.answered(c, m)
		}
	default:
		s.tell(m)
		c.Reply(m.ID, proto.None{}) //nolint:errcheck // as above
	}
}

// looked answers with what scrolled off, whose last row has the number that
// is the number of rows less one.
func (s *Server) looked(c *proto.Conn, m proto.Message) {
	var q proto.PaneHistory
	if err := m.Decode(&q); err != nil {
		c.Fail(m.ID, proto.Errorf(proto.CodeBadRequest, "%v", err)) //nolint:errcheck // the client may have gone
		return
	}
	s.mu.Lock()
	rows, most := s.back, s.most
	var part proto.PaneHistoryPart
	if q.Places {
		part = s.places
	}
	part.Cols = s.frames[q.Pane].Cols
	s.mu.Unlock()
	end := len(rows)
	if q.Before > 0 {
		end = min(end, int(q.Before))
	}
	first := 0
	if most > 0 {
		first = max(0, end-most)
	}
	for _, r := range rows[first:end] {
		part.Rows = append(part.Rows, proto.HistoryRow{Text: r})
	}
	part.First, part.More = uint64(first), first > 0
	c.Reply(m.ID, part) //nolint:errcheck // as above
}

// Watch has f called with what panes get as input.
func (s *Server) Watch(f func(proto.PaneInput)) { s.mu.Lock(); s.watch = f; s.mu.Unlock() }

func (s *Server) tell(m proto.Message) {
	s.mu.Lock()
	f := s.watch
	s.mu.Unlock()
	var in proto.PaneInput
	if f != nil && m.Method == proto.MethodPaneInput && m.Decode(&in) == nil {
		f(in)
	}
}

// started adds a pane with the id "new", in a workspace of its own.
func (s *Server) started(c *proto.Conn, m proto.Message) {
	var n proto.PaneNew
	if err := m.Decode(&n); err != nil {
		c.Fail(m.ID, proto.Errorf(proto.CodeBadRequest, "%v", err)) //nolint:errcheck // as above
		return
	}
	p := proto.Pane{ID: "new", Workspace: "wn", Tab: "tn", Agent: n.Agent, Cwd: n.Cwd, State: proto.StateUnknown, Confined: n.Confine}
	s.Pane(p)
	s.Workspace(proto.Workspace{ID: "wn", Name: "new", Tabs: []proto.Tab{{ID: "tn", Tree: &proto.Split{Pane: "new"}}}})
	c.Reply(m.ID, p) //nolint:errcheck // as above
}

func (s *Server) answered(c *proto.Conn, m proto.Message) {
	var a proto.DecisionAnswer
	if err := m.Decode(&a); err != nil {
		c.Fail(m.ID, proto.Errorf(proto.CodeBadRequest, "%v", err)) //nolint:errcheck // as above
		return
	}
	s.mu.Lock()
	known := slices.ContainsFunc(s.snap.Decisions, func(d proto.Decision) bool { return d.ID == a.Decision })
	repeat := slices.Contains(s.counts, a.Key)
	s.mu.Unlock()
	if repeat {
		c.Reply(m.ID, proto.DecisionAnswered{Decision: a.Decision, Option: a.Option, Repeat: true}) //nolint:errcheck // as above
		return
	}
	if !known {
		c.Fail(m.ID, proto.Errorf(proto.CodeNoSuchDecision, "decision %s does not wait", a.Decision)) //nolint:errcheck // as above
		return
	}
	end := proto.EndAnswered
	if a.Option == proto.OptionHandBack {
		end = proto.EndHandedBack
	}
	s.End(proto.DecisionEnded{Decision: a.Decision, Pane: a.Pane, End: end, Option: a.Option})
	c.Reply(m.ID, proto.DecisionAnswered{Decision: a.Decision, Option: a.Option}) //nolint:errcheck // as above
}

// Event sends an event to the client.
func (s *Server) Event(name string, data any) {
	s.mu.Lock()
	c := s.conn
	s.mu.Unlock()
	if c != nil {
		c.Event(name, 1, data) //nolint:errcheck // the client may have gone
	}
}

// Workspace adds or changes a workspace; with panes, a tab for each.
func (s *Server) Workspace(w proto.Workspace, panes ...proto.Pane) {
	s.mu.Lock()
	s.snap.Workspaces = slices.DeleteFunc(s.snap.Workspaces, func(o proto.Workspace) bool { return o.ID == w.ID })
	s.snap.Workspaces = append(s.snap.Workspaces, w)
	s.mu.Unlock()
	for _, p := range panes {
		s.Pane(p)
	}
	s.Event(proto.EventWorkspaceUpdated, w)
}

// Pane adds or changes a pane.
func (s *Server) Pane(p proto.Pane) {
	s.mu.Lock()
	s.snap.Panes = slices.DeleteFunc(s.snap.Panes, func(o proto.Pane) bool { return o.ID == p.ID })
	s.snap.Panes = append(s.snap.Panes, p)
	s.mu.Unlock()
	s.Event(proto.EventPaneUpdated, p)
}

// Frame sends a frame; a full one is kept for those who watch later.
func (s *Server) Frame(f proto.Frame) {
	s.mu.Lock()
	if f.Full {
		s.frames[f.Pane] = f
	}
	s.mu.Unlock()
	s.Event(proto.EventFrame, f)
}

// Decide has a decision wait.
func (s *Server) Decide(d proto.Decision) {
	s.mu.Lock()
	s.snap.Decisions = append(s.snap.Decisions, d)
	s.mu.Unlock()
	s.Event(proto.EventDecisionAdded, d)
}

// End ends a decision.
func (s *Server) End(e proto.DecisionEnded) {
	s.mu.Lock()
	s.snap.Decisions = slices.DeleteFunc(s.snap.Decisions, func(d proto.Decision) bool { return d.ID == e.Decision })
	s.mu.Unlock()
	s.Event(proto.EventDecisionEnded, e)
}

// Mute has it leave answers unanswered.
func (s *Server) Mute(on bool) { s.mu.Lock(); s.mute = on; s.mu.Unlock() }

// Counted has an answer, by its key, be one that counted.
func (s *Server) Counted(key string) { s.mu.Lock(); s.counts = append(s.counts, key); s.mu.Unlock() }

// History is what scrolled off, which is told in parts of most rows; 0 means
// in one.
func (s *Server) History(most int, lines ...string) {
	s.mu.Lock()
	s.back, s.most = lines, most
	s.mu.Unlock()
}

// Places is where in the history prompts and the last decision are.
func (s *Server) Places(prompts []uint64, asked *uint64) {
	s.mu.Lock()
	s.places.Prompts, s.places.Asked = prompts, asked
	s.mu.Unlock()
}

// Past is what was decided, as decision.past tells it.
func (s *Server) Past(list ...proto.PastDecision) { s.mu.Lock(); s.past = list; s.mu.Unlock() }

// Drop ends the connection. Down keeps it from coming back.
func (s *Server) Drop(down bool) {
	s.mu.Lock()
	c := s.conn
	s.conn, s.down = nil, down
	s.mu.Unlock()
	if c != nil {
		c.Close()
	}
}

// Unconfined is why no pane can be confined.
func (s *Server) Unconfined(why string) { s.mu.Lock(); s.snap.Unconfined = why; s.mu.Unlock() }

// Up lets clients connect again.
func (s *Server) Up() { s.mu.Lock(); s.down = false; s.mu.Unlock() }

// Asked is what was asked by one method since the last call of Forget, as
// params.
func Asked[T any](s *Server, method string) []T {
	s.mu.Lock()
	defer s.mu.Unlock()
	var list []T
	for _, m := range s.asked {
		if m.Method != method {
			continue
		}
		var v T
		if err := json.Unmarshal(m.Body, &v); err != nil {
			panic(errors.Join(errors.New("params of "+method), err))
		}
		list = append(list, v)
	}
	return list
}

// Forget forgets what was asked.
func (s *Server) Forget() { s.mu.Lock(); s.asked = nil; s.mu.Unlock() }

// Close ends the connection and waits for what served it.
func (s *Server) Close() {
	s.Drop(true)
	s.wg.Wait()
}
