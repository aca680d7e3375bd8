package proto

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"syscall"
)

// ErrNoServer says that nothing listens on the socket.
var ErrNoServer = errors.New("no server is running; start one with `signaltty attach`")

// Dial connects to the server at path and exchanges hello. The error is
// ErrNoServer when nobody listens, an *Error when the server refused.
func Dial(ctx context.Context, path string, h Hello) (*Conn, Welcome, error) {
	if err := CheckSocketPath(path); err != nil {
		return nil, Welcome{}, err
	}
	var d net.Dialer
	nc, err := d.DialContext(ctx, "unix", path)
	if err != nil {
		if errors.Is(err, os.ErrNotExist) || errors.Is(err, syscall.ECONNREFUSED) {
			return nil, Welcome{}, ErrNoServer
		}
		return nil, Welcome{}, fmt.Errorf("connecting to %s: %w", path, err)
	}
	c := NewConn(nc)
	w, err := c.Greet(ctx, h)
	if err != nil {
		c.Close()
		return nil, Welcome{}, err
	}
	return c, w, nil
}

// Greet sends hello and reads the answer.
func (c *Conn) Greet(ctx context.Context, h Hello) (Welcome, error) {
	h.Version = Version
	var w Welcome
	err := c.Call(ctx, MethodHello, h, &w)
	return w, err
}

// Call makes one request and waits for its reply, passing over events. It is
// for connections that do one thing at a time. Ending ctx closes the
// connection.
func (c *Conn) Call(ctx context.Context, method string, params, result any) error {
	stop := context.AfterFunc(ctx, func() { c.Close() })
	defer stop()
	if err := c.Send(1, method, params); err != nil {
		return callError(ctx, method, err)
	}
	for {
		m, err := c.Read()
		if err != nil {
			return callError(ctx, method, err)
		}
		if m.Event != "" || m.ID != 1 {
			continue
		}
		if m.Error != nil {
			return m.Error
		}
		if result == nil {
			return nil
		}
		return m.Decode(result)
	}
}

func callError(ctx context.Context, method string, err error) error {
	if ctx.Err() != nil {
		return fmt.Errorf("waiting for %s: %w", method, context.Cause(ctx))
	}
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	return fmt.Errorf("waiting for %s: %w: the server went away", method, err)
}
