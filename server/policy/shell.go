package policy

import (
	"fmt"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// The bounds of what is looked at in one command.
const (
	maxShell  = 256 << 10 // bytes of shell code
	maxNested = 12        // bash -c in bash -c
	maxTouch  = 2048      // things that it touches
	maxDirs   = 8         // directories that it may be in
)

// access is one thing that a call touches.
type access struct {
	tool string // canonical
	name string // the agent's own name of the tool; "" below a shell command
	// argv is the simple command that does it, "" where there is none.
	argv []string
	// bare is argv less what does not change what it does: git -C x push is git push.
	bare  []string
	place place // of a path; empty where there is none
	host  string
	// implied needs no allow of its own, such as reading in the workspace.
	implied bool
	// soft says that it may touch the path, or may only be given its name.
	soft bool
	// unclear says why it is not known what else is touched.
	unclear string
}

// walk goes through shell code and collects what it touches.
type walk struct {
	root root
	list []access
	// now are the directories that the code may be in; none when that is not known.
	now []string
	// seen are all directories that it was in.
	seen []string

	vars     map[string]string // variables whose value is known
	assigned map[string]int    // how often the code sets a variable
	hides    bool              // it sets variables in ways that are not followed
	funcs    map[string]bool
	bodies   []*syntax.Stmt
	nest     int // how deep in what may not run, or runs elsewhere
	depth    int // how deep in code in code
}

// input is what a command reads from its standard input.
type input struct {
	text string
	from string // "": nothing that matters, "text", or where it comes from
}

// shell walks a shell command that runs in dir.
func (r root) shell(code, dir string) []access {
	w := &walk{root: r}
	if dir != "" {
		w.now, w.seen = []string{dir}, []string{dir}
	}
	w.code(code)
	return w.list
}

// code walks shell code in the directory that w is in.
func (w *walk) code(code string) {
	switch {
	case len(code) > maxShell:
		w.unclear("the command is longer than %d KiB", maxShell>>10)
		return
	case w.depth >= maxNested:
		w.unclear("it nests shells more than %d deep", maxNested)
		return
	case !isStatic(code):
		w.unclear("its shell code is known only when it runs")
		return
	}
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(code), "")
	if err != nil {
		w.unclear("its shell code cannot be parsed: %v", err)
		return
	}
	inner := *w
	inner.depth++
	inner.vars, inner.funcs, inner.bodies, inner.nest = map[string]string{}, map[string]bool{}, nil, 0
	inner.count(file)
	for k, n := range w.assigned {
		inner.assigned[k] += n
	}
	inner.stmts(file.Stmts, input{})
	inner.functions()
	w.list, w.seen = inner.list, inner.seen
}

// count finds how often each variable is set, and whether one is set in a way
// that is not followed.
func (w *walk) count(file *syntax.File) {
	w.assigned, w.hides = map[string]int{}, false
	syntax.Walk(file, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Assign:
			if n.Name != nil {
				w.assigned[n.Name.Value]++
			}
			if n.Append || n.Array != nil || n.Index != nil {
				w.assigned[n.Name.Value]++
			}
		case *syntax.WordIter:
			w.assigned[n.Name.Value] += 2
		case *syntax.ParamExp:
			if n.Exp != nil && n.Param != nil {
				w.assigned[n.Param.Value]++ // ${x:=y}
			}
		case *syntax.ArithmCmd, *syntax.ArithmExp, *syntax.LetClause, *syntax.CStyleLoop:
			w.hides = true
		case *syntax.CallExpr:
			if len(n.Args) > 0 && slices.Contains(setters, n.Args[0].Lit()) {
				w.hides = true
			}
		}
		return true
	})
}

// setters are builtins that set variables by name.
var setters = []string{"read", "mapfile", "readarray", "getopts", "unset", "eval", "source", ".", "printf", "select", "wait"}

// functions walks the bodies of functions: from each directory that the code
// was in, since where they are called is not followed.
func (w *walk) functions() {
	clear(w.vars)
	for i := 0; i < len(w.bodies) && i < maxTouch; i++ {
		w.now = slices.Clone(w.seen)
		w.nest++
		before := slices.Clone(w.now)
		w.stmt(w.bodies[i], input{from: "its caller"})
		if !slices.Equal(before, w.now) {
			w.unclear("a function changes the directory")
		}
	}
}

// stmts walks statements one after the other and says where the code is when
// the last one succeeded.
func (w *walk) stmts(list []*syntax.Stmt, in input) []string {
	ok := w.now
	for _, s := range list {
		ok = w.stmt(s, in)
	}
	return ok
}

// stmt walks a statement. It leaves w where the code may be afterwards, and
// returns where it is when the statement succeeded.
func (w *walk) stmt(s *syntax.Stmt, in input) []string {
	if s == nil || len(w.list) >= maxTouch {
		return w.now
	}
	in = w.redirects(s.Redirs, in)
	start := w.now
	switch c := s.Cmd.(type) {
	case nil:
	case *syntax.CallExpr:
		ok := w.simple(c, in)
		if s.Background || s.Negated {
			return w.now
		}
		return ok
	case *syntax.Block:
		return w.stmts(c.Stmts, in)
	case *syntax.BinaryCmd:
		return w.binary(c, in)
	case *syntax.TimeClause:
		return w.stmt(c.Stmt, in)
	case *syntax.Subshell:
		w.stmts(c.Stmts, in)
		w.now = start
	case *syntax.CoprocClause:
		w.stmt(c.Stmt, in)
		w.now = start
	case *syntax.FuncDecl:
		w.declared(c)
	case *syntax.DeclClause:
		w.declare(c)
	case *syntax.TestDecl:
		w.unclear("it declares a test")
	default:
		w.nest++
		w.compound(c, in)
		w.nest--
	}
	return w.now
}

func (w *walk) declared(c *syntax.FuncDecl) {
	w.bodies = append(w.bodies, c.Body)
	for _, name := range append(c.Names, c.Name) {
		if name != nil && w.nest == 0 {
			w.funcs[name.Value] = true
		}
	}
}

// compound walks what may run its parts or not.
func (w *walk) compound(c syntax.Command, in input) {
	start := w.now
	switch c := c.(type) {
	case *syntax.IfClause:
		for part := c; part != nil; part = part.Else {
			w.stmts(part.Cond, in)
			ended := w.now
			w.stmts(part.Then, in)
			start = union(start, w.now)
			w.now = ended
		}
		w.now = union(start, w.now)
	case *syntax.WhileClause:
		w.loop(func() { w.stmts(c.Cond, in); w.stmts(c.Do, in) })
	case *syntax.ForClause:
		w.substitutions(c.Loop)
		w.loop(func() { w.stmts(c.Do, in) })
	case *syntax.CaseClause:
		w.substitutions(c.Word)
		after := start
		for _, item := range c.Items {
			for _, p := range item.Patterns {
				w.substitutions(p)
			}
			w.now = start
			w.stmts(item.Stmts, in)
			after = union(after, w.now)
		}
		w.now = after
	default:
		w.substitutions(c)
	}
}

// loop walks what may run again from where it ended.
func (w *walk) loop(body func()) {
	start := w.now
	body()
	if !slices.Equal(start, w.now) {
		w.now = nil
		body()
		w.now = nil
	}
}

// binary walks a pipeline or a list.
func (w *walk) binary(c *syntax.BinaryCmd, in input) []string {
	start := w.now
	switch c.Op {
	case syntax.AndStmt:
		ok := w.stmt(c.X, in)
		failed := w.now
		w.now = ok
		ok = w.stmt(c.Y, in)
		w.now = union(failed, w.now)
		return ok
	case syntax.OrStmt:
		ok := w.stmt(c.X, in)
		w.nest++
		ok = union(ok, w.stmt(c.Y, in))
		w.nest--
		return ok
	}
	// A pipe: both sides run in a shell of their own.
	w.nest++
	w.stmt(c.X, in)
	w.now = start
	w.stmt(c.Y, w.output(c.X))
	w.nest--
	w.now = start
	return start
}

// output is what a statement is known to write into a pipe.
func (w *walk) output(s *syntax.Stmt) input {
	piped := input{from: "a pipe"}
	call, ok := s.Cmd.(*syntax.CallExpr)
	if !ok || len(call.Args) == 0 {
		return piped
	}
	argv := w.words(call.Args)
	switch {
	case argv[0] == "cat" && len(argv) == 1 && len(s.Redirs) == 1 && s.Redirs[0].Hdoc != nil:
		return w.here(s.Redirs[0], piped)
	case argv[0] == "echo" && len(s.Redirs) == 0:
		return input{text: strings.Join(dropFlags(argv[1:]), " "), from: "text"}
	case argv[0] == "printf" && len(s.Redirs) == 0 && len(argv) == 2 && !strings.ContainsAny(argv[1], `%\`):
		return input{text: argv[1], from: "text"}
	}
	return piped
}

func dropFlags(args []string) []string {
	for len(args) > 0 && len(args[0]) > 1 && args[0][0] == '-' && strings.Trim(args[0][1:], "neE") == "" {
		args = args[1:]
	}
	return args
}

// union is where the code may be after one of two ways. Unknown stays unknown.
func union(a, b []string) []string {
	if a == nil || b == nil {
		return nil
	}
	out := slices.Clone(a)
	for _, d := range b {
		if !slices.Contains(out, d) {
			out = append(out, d)
		}
	}
	if len(out) > maxDirs {
		return nil
	}
	return out
}

// substitutions walks the command and process substitutions in a node.
func (w *walk) substitutions(n syntax.Node) {
	syntax.Walk(n, func(n syntax.Node) bool {
		var list []*syntax.Stmt
		var in input
		switch n := n.(type) {
		case *syntax.CmdSubst:
			list = n.Stmts
		case *syntax.ProcSubst:
			list = n.Stmts
			if n.Op == syntax.CmdOut {
				in.from = "another command"
			}
		case *syntax.ParamExp:
			if n.Param != nil && n.Exp != nil && (n.Exp.Op == syntax.AssignUnset || n.Exp.Op == syntax.AssignUnsetOrNull) {
				w.steers(n.Param.Value, string(unknown))
			}
			return true
		case *syntax.WordIter:
			w.steers(n.Name.Value, string(unknown))
			return true
		default:
			return true
		}
		start := w.now
		w.nest++
		w.stmts(list, in)
		w.nest--
		w.now = start
		return false
	})
}

// unclear notes that more is touched than is known.
func (w *walk) unclear(format string, args ...any) {
	w.list = append(w.list, access{tool: "run", unclear: fmt.Sprintf(format, args...)})
}
