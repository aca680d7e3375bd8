package cli

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"

	"signaltty/proto"

	"github.com/spf13/cobra"
)

// Bounds of many turns at once.
const (
	maxPrompts  = 10_000
	maxParallel = 64
)

// task is one of several turns.
type task struct {
	n       int // from 1
	prompt  string
	done    proto.TurnComplete
	where   string // its own work tree, when that is kept
	skipped bool   // it was done before
	err     error  // it could not be run
}

// outcome is the task's word in the table.
func (t *task) outcome() string {
	switch {
	case t.skipped:
		return "skipped"
	case t.err != nil:
		return "not run"
	}
	return string(t.done.Outcome)
}

// readPrompts reads the file of prompts, one a line; empty lines are none.
func (r *runFlags) readPrompts(stdin io.Reader) ([]string, error) {
	from := stdin
	if r.many != "-" {
		f, err := os.Open(r.many)
		if err != nil {
			return nil, fmt.Errorf("reading the prompts: %w", err)
		}
		defer f.Close()
		from = f
	}
	var list []string
	lines := bufio.NewScanner(from)
	lines.Buffer(nil, maxPrompt)
	for lines.Scan() {
		if text := strings.TrimSpace(lines.Text()); text != "" {
			list = append(list, text)
		}
		if len(list) > maxPrompts {
			return nil, usagef("run: there are more than %d prompts", maxPrompts)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("reading the prompts: %w", err)
	}
	if len(list) == 0 {
		return nil, usagef("run: %s has no prompts", r.many)
	}
	return list, nil
}

// runMany runs a turn for each prompt, some at once. Those that ended well
// before, of the same agent in the same directory at the same commit, are
// skipped. The end of ctx cancels what runs, and begins nothing more.
func (r *runFlags) runMany(cmd *cobra.Command, prompts []string) error {
	out := &shared{out: cmd.OutOrStdout(), progress: cmd.OutOrStdout()}
	if r.format == "jsonl" {
		out.progress = cmd.ErrOrStderr()
	}
	began := time.Now()
	var tasks []*task
	room := make(chan struct{}, r.parallel)
	var running sync.WaitGroup
	for i, prompt := range prompts {
		t := &task{n: i + 1, prompt: prompt}
		tasks = append(tasks, t)
		if t.skipped, t.err = r.did(cmd, prompt); t.skipped || t.err != nil {
			out.tell(t, len(prompts))
			continue
		}
		select {
		case room <- struct{}{}:
		case <-cmd.Context().Done():
		}
		if cmd.Context().Err() != nil {
			t.done.Outcome, t.done.Exit = proto.OutcomeCancelled, proto.ExitCancelled
			continue
		}
		running.Go(func() {
			defer func() { <-room }()
			spec := r.spec
			spec.Prompt = prompt
			t.done, t.where, t.err = r.turn(cmd, spec, out.envelope(r.format == "jsonl"))
			out.tell(t, len(prompts))
		})
	}
	running.Wait()
	return errors.Join(out.failed(), summary(out.progress, tasks, time.Since(began)))
}

// did says that the turn of a prompt ended well before.
func (r *runFlags) did(cmd *cobra.Command, prompt string) (bool, error) {
	if r.again {
		return false, nil
	}
	sum := sha256.Sum256([]byte(prompt))
	earlier, err := call[proto.TurnList](cmd, proto.MethodTurnList, proto.TurnQuery{Agent: r.spec.Agent, Dir: r.spec.Dir, Prompt: hex.EncodeToString(sum[:])})
	return slices.ContainsFunc(earlier.Turns, func(t proto.TurnRecord) bool {
		return t.Outcome == proto.OutcomeOK && t.Base == r.spec.Base
	}), err
}

// shared is what several turns write to, whole lines at a time.
type shared struct {
	mu            sync.Mutex
	out, progress io.Writer
	err           error
}

// envelope shows one turn's envelopes: as lines, or not at all.
func (s *shared) envelope(asLines bool) func(io.Writer, []byte, proto.Envelope) error {
	return func(_ io.Writer, line []byte, _ proto.Envelope) error {
		if !asLines {
			return nil
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		_, err := s.out.Write(line)
		return err
	}
}

// tell prints the line of a task that has ended.
func (s *shared) tell(t *task, of int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	text := fmt.Sprintf("%d/%d %s: %s", t.n, of, t.outcome(), headOf(t.prompt))
	if t.where != "" {
		text += "; " + t.where
	}
	if t.err != nil {
		text += fmt.Sprintf(" (%v)", t.err)
	}
	_, err := fmt.Fprintln(s.progress, visible(text))
	s.err = errors.Join(s.err, err)
}

func (s *shared) failed() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// headOf is the head of a prompt.
func headOf(prompt string) string {
	line, _, _ := strings.Cut(prompt, "\n")
	if runes := []rune(line); len(runes) > 60 {
		line = string(runes[:59]) + "…"
	}
	return line
}

// summary prints the table of all turns. Its error has the one exit code that
// all turns which did not end well have, or 1.
func summary(w io.Writer, tasks []*task, took time.Duration) error {
	counts := map[string]int{}
	var usage proto.TurnUsage
	code := proto.ExitOK
	for _, t := range tasks {
		counts[t.outcome()]++
		usage.Input, usage.Output, usage.Cost = usage.Input+t.done.Usage.Input, usage.Output+t.done.Usage.Output, usage.Cost+t.done.Usage.Cost
		exit := t.done.Exit
		if t.err != nil {
			exit = proto.ExitFailed
		}
		switch {
		case exit == proto.ExitOK || exit == code:
		case code == proto.ExitOK:
			code = exit
		default:
			code = proto.ExitFailed
		}
	}
	fmt.Fprintf(w, "%-14s %5s\n", "outcome", "turns")
	for _, o := range []string{"ok", "skipped", "denied", "blocked", "uncertain", "nothing_done", "timeout", "agent_error", "gate_failed", "cancelled", "not run"} {
		if counts[o] > 0 {
			fmt.Fprintf(w, "%-14s %5d\n", o, counts[o])
		}
	}
	_, err := fmt.Fprintf(w, "%-14s %5d  %.1f s, %d tokens in, %d out, %.4f USD\n", "all", len(tasks), took.Seconds(), usage.Input, usage.Output, usage.Cost)
	if err == nil && code != proto.ExitOK {
		err = exitError{code, errors.New("not every turn ended well")}
	}
	return err
}

// commitOf is the commit that a directory is at; "" outside of a repository.
func commitOf(ctx context.Context, dir string) string {
	out, err := exec.CommandContext(ctx, "git", "-C", dir, "rev-parse", "-q", "--verify", "HEAD").Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}
