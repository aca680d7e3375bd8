package hook

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"signaltty/proto"
)

// payloadWait is how long a payload may take to arrive. Agents write it at
// once; half of one and then silence is a fault, not a person who thinks.
const payloadWait = 10 * time.Second

var errTooLarge = fmt.Errorf("the payload is larger than %d MiB", proto.MaxPayload>>20)

// readPayload reads stdin to its end. It stops at the cap while reading, so
// that an endless payload costs bounded time and memory.
func readPayload(ctx context.Context, stdin io.Reader, wait time.Duration) ([]byte, error) {
	type result struct {
		payload []byte
		err     error
	}
	read := make(chan result, 1)
	// A blocking pipe knows no deadline, so the read has its own goroutine;
	// when the wait is over the process is about to end, and the read with it.
	go func() {
		payload, err := io.ReadAll(io.LimitReader(stdin, proto.MaxPayload+1))
		read <- result{payload, err}
	}()
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case r := <-read:
		switch {
		case r.err != nil:
			return nil, fmt.Errorf("reading the payload: %w", r.err)
		case len(r.payload) > proto.MaxPayload:
			return nil, errTooLarge
		case len(r.payload) == 0:
			return nil, errors.New("the payload is empty")
		}
		return r.payload, nil
	case <-timer.C:
		return nil, fmt.Errorf("the payload did not end within %v", wait)
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}
