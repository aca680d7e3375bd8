package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

const (
	// sinkQueue is how many rows may wait for the sink. Beyond it they are dropped.
	sinkQueue = 4096
	// sinkRetry is how long a sink that cannot be opened or written rests.
	sinkRetry = time.Second
	// sinkGrace is how long a closing sink still writes.
	sinkGrace = 500 * time.Millisecond
)

// sink tells every row, once it is committed, to a file or a FIFO, as JSON
// lines. Nothing waits for it: what it cannot take is dropped and counted.
type sink struct {
	path    string
	rows    chan Written
	dropped atomic.Int64
	stop    context.CancelFunc
	done    chan struct{}

	mu      sync.Mutex
	file    *os.File
	trouble error
}

// openSink starts a sink; without a path there is none.
func openSink(path string) *sink {
	if path == "" {
		return nil
	}
	ctx, stop := context.WithCancel(context.Background())
	s := &sink{path: path, rows: make(chan Written, sinkQueue), stop: stop, done: make(chan struct{})}
	go s.run(ctx)
	return s
}

// add never blocks.
func (s *sink) add(rows []Written) {
	if s == nil {
		return
	}
	for _, w := range rows {
		select {
		case s.rows <- w:
		default:
			s.dropped.Add(1)
		}
	}
}

func (s *sink) run(ctx context.Context) {
	defer close(s.done)
	for w := range s.rows {
		line, err := w.Line()
		if err == nil {
			err = s.write(ctx, line)
		}
		s.note(err)
		if err != nil {
			s.dropped.Add(1)
		}
	}
	if s.file != nil {
		s.note(s.file.Close())
	}
}

// write writes one line whole. A FIFO without a reader, and a directory that
// is not there yet, are waited for until the sink closes.
func (s *sink) write(ctx context.Context, line []byte) error {
	for {
		if err := s.open(); err == nil {
			n, err := s.file.Write(line)
			if err == nil {
				return nil
			}
			s.forget()
			// A line that was begun cannot be taken back, and is not begun again
			// where its reader may still be.
			if !errors.Is(err, syscall.EPIPE) && n > 0 || ctx.Err() != nil {
				return err
			}
		} else {
			s.note(err)
		}
		select {
		case <-time.After(sinkRetry):
		case <-ctx.Done():
			return fmt.Errorf("writing to the sink: %w", ctx.Err())
		}
	}
}

// open opens the file or FIFO, without waiting for a FIFO's reader.
func (s *sink) open() error {
	if s.file != nil {
		return nil
	}
	f, err := os.OpenFile(s.path, os.O_WRONLY|os.O_APPEND|syscall.O_NONBLOCK, 0)
	if errors.Is(err, fs.ErrNotExist) {
		f, err = os.OpenFile(s.path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	}
	if errors.Is(err, syscall.ENXIO) {
		return fmt.Errorf("nobody reads the FIFO %s", s.path)
	}
	if err != nil {
		return fmt.Errorf("opening the sink: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.file = f
	return nil
}

func (s *sink) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.file.Close()
	s.file = nil
}

func (s *sink) note(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.trouble = err
}

// close gives the sink a moment to write what it still has.
func (s *sink) close() {
	if s == nil {
		return
	}
	close(s.rows)
	grace := time.AfterFunc(sinkGrace, func() {
		s.stop()
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.file != nil {
			_ = s.file.SetWriteDeadline(time.Unix(1, 0)) // a plain file does not block
		}
	})
	<-s.done
	grace.Stop()
	s.stop()
}

// status is where the sink writes, how many rows it dropped, and what is
// wrong with it now.
func (s *sink) status() (path string, dropped int64, trouble string) {
	if s == nil {
		return "", 0, ""
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.trouble != nil {
		trouble = s.trouble.Error()
	}
	return s.path, s.dropped.Load(), trouble
}
