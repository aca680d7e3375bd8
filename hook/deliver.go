package hook

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"syscall"
	"time"

	"signaltty/proto"
)

// welcomeWait is how long the server may take to answer hello. A frozen
// server must not hold an ask that has no dialog beside it.
const welcomeWait = 3 * time.Second

// abortWait bounds the last word of a hook that its agent ends.
const abortWait = 100 * time.Millisecond

// The ids of the requests.
const (
	helloID = 1
	eventID = 2
	abortID = 3
)

// request is one line to the server.
type request struct {
	ID     uint64 `json:"id"`
	Method string `json:"method"`
	Params any    `json:"params"`
}

// deliver sends hello and the event in one write and reads the verdict until end.
func deliver(ctx context.Context, socket string, e proto.HookEvent, end time.Time) (proto.Verdict, error) {
	lines, err := encode(e)
	if err != nil {
		return proto.Verdict{}, err
	}
	nc, err := net.DialTimeout("unix", socket, welcomeWait)
	if err != nil {
		return proto.Verdict{}, dialError(socket, err)
	}
	c := proto.NewConn(nc)
	defer c.Close()
	defer context.AfterFunc(ctx, func() { abort(c) })()

	welcomed := time.Now().Add(welcomeWait)
	if welcomed.After(end) {
		welcomed = end
	}
	nc.SetDeadline(welcomed)
	if err := c.WriteLine(lines); err != nil {
		return proto.Verdict{}, readError(err)
	}
	if err := reply(c, helloID, &proto.Welcome{}); err != nil {
		return proto.Verdict{}, readError(err)
	}
	nc.SetDeadline(end)
	var v proto.Verdict
	if err := reply(c, eventID, &v); err != nil {
		return proto.Verdict{}, readError(err)
	}
	switch v.Behavior {
	case proto.Allow, proto.Deny, proto.NoVerdict:
		return v, nil
	case proto.AskFirst:
		if e.Gate {
			return v, nil
		}
	}
	return proto.Verdict{}, fmt.Errorf("the server gave an unknown verdict %q", v.Behavior)
}

// abort tells the server that the agent ended this hook, and closes the
// connection. Without the word the server could not tell the person's No in
// the agent's dialog from a hook that was killed.
func abort(c *proto.Conn) {
	// The line is a courtesy: what counts is that the connection closes.
	_ = c.NetConn().SetWriteDeadline(time.Now().Add(abortWait))
	_ = c.Send(abortID, proto.MethodHookAbort, proto.None{})
	c.Close()
}

// encode is hello and the event as two lines, the last newline left out.
func encode(e proto.HookEvent) ([]byte, error) {
	hello, err := json.Marshal(request{helloID, proto.MethodHello, proto.Hello{Version: proto.Version, Client: "hook"}})
	if err != nil {
		return nil, fmt.Errorf("encoding hello: %w", err)
	}
	event, err := json.Marshal(request{eventID, proto.MethodHookEvent, e})
	if err != nil {
		return nil, fmt.Errorf("encoding the event: %w", err)
	}
	return append(append(hello, '\n'), event...), nil
}

// reply reads until the reply of that id. Anything else that the server says
// on this connection is not for a hook.
func reply(c *proto.Conn, id uint64, result any) error {
	for {
		m, err := c.Read()
		switch {
		case err != nil:
			return err
		case m.Event != "" || m.ID != id:
			continue
		case m.Error != nil:
			return m.Error
		}
		return m.Decode(result)
	}
}

func dialError(socket string, err error) error {
	if errors.Is(err, os.ErrNotExist) || errors.Is(err, syscall.ECONNREFUSED) {
		return errors.New("no server is running")
	}
	return fmt.Errorf("connecting to %s: %w", socket, err)
}

func readError(err error) error {
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return errors.New("the server did not answer in time")
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
		return errors.New("the server went away")
	}
	return err
}
