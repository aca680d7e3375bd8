package cli

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"reflect"
	"time"

	"signaltty/proto"
	"signaltty/turn"

	"github.com/charmbracelet/x/term"
)

// startWait is how long a turn may take until its first envelope: a loaded
// machine, never a person.
const startWait = time.Minute

// envelopes is where a turn's driver brings them: a socket in a directory of
// this user alone. What this end writes, or its end, cancels the turn.
type envelopes struct {
	dir, path string
	l         *net.UnixListener
}

func listenEnvelopes() (*envelopes, error) {
	dir, err := os.MkdirTemp("", "signaltty-run-") // 0700
	if err != nil {
		return nil, fmt.Errorf("making a place for the turn's envelopes: %w", err)
	}
	path := filepath.Join(dir, "sock")
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		return nil, errors.Join(fmt.Errorf("listening for the turn's envelopes: %w", err), os.RemoveAll(dir))
	}
	return &envelopes{dir, path, l}, nil
}

func (e *envelopes) close() error { return errors.Join(e.l.Close(), os.RemoveAll(e.dir)) }

// read shows every envelope until the turn is complete. The end of ctx
// cancels the turn, whose last envelopes still come.
func (e *envelopes) read(ctx context.Context, out io.Writer, show func(io.Writer, []byte, proto.Envelope) error) (proto.TurnComplete, error) {
	var done proto.TurnComplete
	if err := e.l.SetDeadline(time.Now().Add(startWait)); err != nil {
		return done, fmt.Errorf("waiting for the turn: %w", err)
	}
	c, err := e.l.AcceptUnix()
	if err != nil {
		return done, fmt.Errorf("waiting for the turn to start: %w", err)
	}
	defer c.Close()
	defer context.AfterFunc(ctx, func() { _ = c.CloseWrite() })() // the driver cancels

	r := bufio.NewReaderSize(c, 64<<10)
	complete := false
	for {
		line, err := r.ReadBytes('\n')
		if errors.Is(err, io.EOF) && complete {
			return done, nil
		}
		if err != nil {
			return done, fmt.Errorf("reading the turn's envelopes: %w: its pane ended", err)
		}
		var env proto.Envelope
		if err := json.Unmarshal(line, &env); err != nil {
			return done, fmt.Errorf("reading an envelope: %w", err)
		}
		if env.Type == proto.EnvelopeTurnComplete {
			complete = true
			if err := json.Unmarshal(env.Data, &done); err != nil {
				return done, fmt.Errorf("reading the end of the turn: %w", err)
			}
		}
		if err := show(out, line, env); err != nil {
			return done, fmt.Errorf("printing an envelope: %w", err)
		}
	}
}

// jsonl prints an envelope as it came.
func jsonl(out io.Writer, line []byte, _ proto.Envelope) error {
	_, err := out.Write(line)
	return err
}

// text prints an envelope for a person.
func (r *runFlags) text(out io.Writer, _ []byte, env proto.Envelope) error {
	kind, ok := proto.EnvelopeKinds[env.Type]
	if !ok {
		return nil // of a newer driver
	}
	data := reflect.New(reflect.TypeOf(kind))
	d := json.NewDecoder(bytes.NewReader(env.Data))
	if err := d.Decode(data.Interface()); err != nil {
		return fmt.Errorf("reading an envelope of type %s: %w", env.Type, err)
	}
	form := turn.Plain
	if r.colours {
		form = turn.Text
	}
	text := form(env, data.Elem().Interface())
	if text == "" {
		return nil
	}
	_, err := fmt.Fprintln(out, text)
	return err
}

// wantsColours says whether out is a terminal of somebody who has not asked
// for no colours (no-color.org).
func wantsColours(out io.Writer) bool {
	f, ok := out.(*os.File)
	return ok && os.Getenv("NO_COLOR") == "" && term.IsTerminal(f.Fd())
}
