package turn

import (
	"encoding/json"
	"io"
	"time"

	"signaltty/proto"
)

// emitter numbers envelopes and writes them. Its writes wait for the reader,
// which is the back-pressure on the agent.
type emitter struct {
	agent   string
	session string
	turn    string
	next    uint64
	to      io.Writer
	lost    error // of the first write that failed; then nobody reads any more
	view    *view
}

func newEmitter(o Options) *emitter {
	return &emitter{agent: o.Spec.Agent, session: o.Spec.Resume, turn: o.Spec.ID, to: o.Envelopes, view: newView(o.View)}
}

func (e *emitter) emit(kind proto.EnvelopeType, data any) {
	raw, err := json.Marshal(data)
	if err != nil {
		// Only raw JSON of the agent's own can be wrong, and adapters have read it.
		raw, _ = json.Marshal(proto.TurnError{Source: "signaltty", Message: "writing an envelope of " + string(kind) + ": " + err.Error()})
		kind = proto.EnvelopeError
	}
	e.next++
	env := proto.Envelope{ID: e.next, TS: time.Now().UTC(), Type: kind, Agent: e.agent, Session: e.session, Turn: e.turn, Data: raw}
	e.view.show(env, data)
	if e.to == nil || e.lost != nil {
		return
	}
	line, err := json.Marshal(env)
	if err == nil {
		_, err = e.to.Write(append(line, '\n'))
	}
	e.lost = err
}
