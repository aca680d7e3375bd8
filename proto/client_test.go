package proto_test

import (
	"context"
	"errors"
	"net"
	"path/filepath"
	"testing"

	"signaltty/proto"
)

// peerThat is a connection to a peer that answers each request as told.
func peerThat(t *testing.T, answer func(*proto.Conn, proto.Message)) *proto.Conn {
	t.Helper()
	ours, theirs := net.Pipe()
	done := make(chan struct{})
	go func() {
		defer close(done)
		peer := proto.NewConn(theirs)
		defer peer.Close()
		for {
			m, err := peer.Read()
			if err != nil {
				return
			}
			answer(peer, m)
		}
	}()
	c := proto.NewConn(ours)
	t.Cleanup(func() {
		c.Close()
		<-done
	})
	return c
}

func TestCallPassesOverEvents(t *testing.T) {
	c := peerThat(t, func(peer *proto.Conn, m proto.Message) {
		_ = peer.Event(proto.EventServerTrouble, 1, proto.Trouble{Message: "not the reply"})
		_ = peer.Reply(99, proto.None{}) // of a request that nobody made
		_ = peer.Reply(m.ID, proto.Status{PID: 7})
	})
	var s proto.Status
	if err := c.Call(t.Context(), proto.MethodStatus, proto.None{}, &s); err != nil || s.PID != 7 {
		t.Errorf("got %+v, %v", s, err)
	}
}

func TestCallFails(t *testing.T) {
	refused := proto.Errorf(proto.CodeRefused, "not from here")
	refuse := func(peer *proto.Conn, m proto.Message) { _ = peer.Fail(m.ID, refused) }
	garbage := func(peer *proto.Conn, _ proto.Message) { _ = peer.WriteLine([]byte("hello")) }
	leave := func(peer *proto.Conn, _ proto.Message) { peer.Close() }

	err := peerThat(t, refuse).Call(t.Context(), proto.MethodStop, proto.None{}, nil)
	if e, ok := errors.AsType[*proto.Error](err); !ok || e.Code != proto.CodeRefused || e.ExitCode() != proto.ExitRefused {
		t.Errorf("a refusal came as %v", err)
	}
	err = peerThat(t, garbage).Call(t.Context(), proto.MethodStop, proto.None{}, nil)
	if e, ok := errors.AsType[*proto.Error](err); !ok || e.Code != proto.CodeBadRequest {
		t.Errorf("garbage came as %v", err)
	}
	err = peerThat(t, leave).Call(t.Context(), proto.MethodStop, proto.None{}, nil)
	if err == nil || !errors.Is(err, context.Canceled) && err.Error() != "waiting for stop: EOF: the server went away" {
		t.Errorf("the end of the stream came as %v", err)
	}
}

func TestCallEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	cause := errors.New("enough")
	c := peerThat(t, func(*proto.Conn, proto.Message) { cancel(cause) }) // and never a reply
	if err := c.Call(ctx, proto.MethodStatus, proto.None{}, nil); !errors.Is(err, cause) {
		t.Errorf("got %v, want %v", err, cause)
	}
}

func TestDialWithoutServer(t *testing.T) {
	_, _, err := proto.Dial(t.Context(), filepath.Join(t.TempDir(), "none.sock"), proto.Hello{})
	if !errors.Is(err, proto.ErrNoServer) {
		t.Errorf("got %v, want ErrNoServer", err)
	}
}

func TestExitCodes(t *testing.T) {
	tests := map[proto.Code]int{
		proto.CodeBadRequest: 2, proto.CodeUnknownMethod: 2, proto.CodeNoSuchOption: 2, proto.CodeNoSuchPane: 4,
		proto.CodeNoSuchDecision: 4, proto.CodeTimeout: 5, proto.CodeRefused: 7, proto.CodeVersion: 1, proto.CodeInternal: 1,
	}
	for code, want := range tests {
		if got := proto.Errorf(code, "").ExitCode(); got != want {
			t.Errorf("%s ends in %d, want %d", code, got, want)
		}
	}
}
