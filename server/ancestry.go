package server

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// procID names one process for good: pids are used again, a pid with its
// start time is not. The unit of start is the system's.
type procID struct {
	pid   int
	start uint64
}

// proc is what the system tells of a process.
type proc struct {
	id      procID
	parent  int
	session int
	comm    string // the name that the kernel holds
	dead    bool   // ended, and not yet waited for
}

// maxChain is the longest line of ancestors that is followed.
const maxChain = 512

var errGone = errors.New("the process is gone")

// chainOf gives a process and its ancestors, the process itself first.
func chainOf(pid int) ([]proc, error) {
	p, err := readProc(pid)
	if err != nil {
		return nil, err
	}
	chain := []proc{p}
	for p.parent > 0 {
		if len(chain) == maxChain {
			return nil, fmt.Errorf("process %d has more than %d ancestors", pid, maxChain)
		}
		up, upErr := readProc(p.parent)
		// Only while the child still has it as its parent was it the parent
		// that was read, and not a later process under the same pid.
		again, err := readProc(p.id.pid)
		if err != nil || again.id != p.id {
			return nil, fmt.Errorf("following process %d: %w", p.id.pid, errGone)
		}
		if again.parent != p.parent {
			p.parent = again.parent
			chain[len(chain)-1] = p
			continue
		}
		if upErr != nil {
			// Hidden (the hidepid mount option hides other users' processes),
			// so it is no agent of ours and neither is what is above it.
			break
		}
		chain = append(chain, up)
		p = up
	}
	return chain, nil
}

// kin answers who a peer is: the person, or a process with an agent among its
// ancestors. It reads only the line of ancestors of the process asked about.
//
// Its limits: a process of the same user can alter another one (ptrace,
// a shell's startup files) or have an outside service start one (cron, systemd);
// what comes from there is indistinguishable from the person.
type kin struct {
	names    map[string]bool // the agents' programs
	self     procID
	launch   map[procID]bool // what was above the server when it started
	launched map[string]bool // the environment that it was started with

	mu      sync.Mutex
	leaders map[procID]leader
	agents  map[procID]bool // known from their hooks
}

// leader is the process that a pane started.
type leader struct {
	pane  string
	agent bool
}

// newKin records the server's own ancestors and environment; names are the
// agents' programs, such as "claude".
func newKin(names []string) (*kin, error) {
	chain, err := chainOf(os.Getpid())
	if err != nil {
		return nil, fmt.Errorf("finding the server's own ancestors: %w", err)
	}
	k := &kin{
		names:    map[string]bool{},
		self:     chain[0].id,
		launch:   map[procID]bool{},
		launched: map[string]bool{},
		leaders:  map[procID]leader{},
		agents:   map[procID]bool{},
	}
	for _, name := range names {
		k.names[name] = true
	}
	for _, p := range chain[1:] {
		k.launch[p.id] = true
	}
	for _, entry := range os.Environ() {
		k.launched[entry] = true
	}
	return k, nil
}

// addLeader makes the process that a pane started known; agent says whether
// the pane was started as an agent's. The process must not have been waited
// for yet, so that its pid is its own.
func (k *kin) addLeader(pid int, pane string, agent bool) error {
	p, err := readProc(pid)
	if err != nil {
		return err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.leaders[p.id] = leader{pane, agent}
	return nil
}

// removeLeader forgets the process of a pane once it has ended.
func (k *kin) removeLeader(pid int) {
	now, err := readProc(pid)
	k.mu.Lock()
	defer k.mu.Unlock()
	for id := range k.leaders {
		// The pid may have passed to another pane's process already.
		if id.pid == pid && (err != nil || now.dead || now.id != id) {
			delete(k.leaders, id)
		}
	}
}

// maxAgents is how many agents are remembered before the dead are forgotten.
const maxAgents = 1024

// markAgent makes a process known as an agent, from a hook of it.
func (k *kin) markAgent(pid int) {
	p, err := readProc(pid)
	if err != nil || p.id == k.self || pid == 1 {
		return
	}
	k.mu.Lock()
	k.agents[p.id] = true
	all := slices.Collect(maps.Keys(k.agents))
	k.mu.Unlock()
	if len(all) < maxAgents {
		return
	}
	dead := slices.DeleteFunc(all, func(id procID) bool {
		now, err := readProc(id.pid)
		return err == nil && now.id == id
	})
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, id := range dead {
		delete(k.agents, id)
	}
}

// chain gives the peer and its ancestors, the peer first; nil when it is gone.
func (k *kin) chain(p peer) []proc {
	chain, err := chainOf(p.pid)
	if err != nil || chain[0].id != p.procID {
		return nil
	}
	return chain
}

// above finds the pane whose process is above the first of chain ("" when
// there is none), and the processes between the two, from the first one's
// parent up, without the pane's own. Without a pane they end below the
// server, what launched it, and init.
func (k *kin) above(chain []proc) (pane string, between []int) {
	for i, p := range chain {
		if p.id == k.self || k.launch[p.id] || p.id.pid == 1 {
			break
		}
		if l, _ := k.known(p.id); l.pane != "" {
			return l.pane, between
		}
		if i > 0 {
			between = append(between, p.id.pid)
		}
	}
	return "", between
}

// person tells whether the peer is the person; if not, reason says why, to be
// shown to whoever is refused.
func (k *kin) person(p peer) (ok bool, reason string) {
	chain := k.chain(p)
	if chain == nil {
		return false, "the process that asks has ended or cannot be read"
	}
	if reason := k.agentAbove(chain); reason != "" {
		return false, reason
	}
	env, err := environOf(p.pid)
	if err != nil {
		return false, "the environment of the process that asks cannot be read"
	}
	for _, entry := range env {
		// What the server itself was started with says nothing of a peer that
		// was started from the same place.
		if name, _, _ := strings.Cut(entry, "="); isAgentMarker(name) && !k.launched[entry] {
			return false, name + " is set in its environment, so an agent started it"
		}
	}
	return true, ""
}

func (k *kin) agentAbove(chain []proc) string {
	inPane := false
	for i, p := range chain {
		if p.id == k.self {
			if i > 0 && !inPane {
				return "it left the pane that started it, and may be an agent's (a daemon, setsid)"
			}
			return ""
		}
		l, agent := k.known(p.id)
		if l.agent {
			return fmt.Sprintf("it runs under the agent of pane %s", l.pane)
		}
		if agent {
			return fmt.Sprintf("it runs under the agent with pid %d", p.id.pid)
		}
		inPane = inPane || l.pane != ""
		if name := k.agentName(p); name != "" {
			return fmt.Sprintf("it runs under %s (pid %d)", name, p.id.pid)
		}
	}
	return ""
}

// orphaned says whether the first of chain was left to the server by a parent
// that died.
func (k *kin) orphaned(chain []proc) bool { return len(chain) > 1 && chain[1].id == k.self }

func (k *kin) known(id procID) (l leader, agent bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.leaders[id], k.agents[id]
}

// agentName gives the agent whose program p runs, or "".
func (k *kin) agentName(p proc) string {
	exe, argv := programOf(p.id.pid)
	words := []string{p.comm, filepath.Base(exe)}
	if len(argv) > 0 {
		words = append(words, filepath.Base(argv[0]), script(argv))
	}
	for _, word := range words {
		if k.names[word] {
			return word
		}
	}
	return ""
}

// interpreters run an agent's program as a script: it is their first operand.
var interpreters = []string{"node", "bun", "deno", "python", "ruby", "perl", "sh", "bash", "dash", "zsh", "fish", "env"}

// script gives the name of the script that argv runs, without its extension.
func script(argv []string) string {
	// The digits and dots go: python3.12.
	program := strings.TrimRight(filepath.Base(argv[0]), "0123456789.")
	if !slices.Contains(interpreters, program) {
		return ""
	}
	for _, arg := range argv[1:] {
		if strings.HasPrefix(arg, "-") {
			continue
		}
		name := filepath.Base(arg)
		return strings.TrimSuffix(name, filepath.Ext(name))
	}
	return ""
}
