package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The bounds of a file and of a function, in lines. What grows beyond them has
// become two things.
const (
	maxFile     = 500
	maxTestFile = 800
	maxFunc     = 60
)

// vagueNames say nothing of what a package holds.
var vagueNames = []string{"internal", "pkg", "util", "utils", "common", "types", "manager", "helper", "helpers", "base", "impl"}

// source is one Go file of this module.
type source struct {
	path string
	fset *token.FileSet
	file *ast.File
}

func (s source) isTest() bool { return strings.HasSuffix(s.path, "_test.go") }

func (s source) line(p token.Pos) int { return s.fset.Position(p).Line }

func sources(t *testing.T) []source {
	t.Helper()
	var list []source
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && path != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata") {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(path, ".go") {
			return nil
		}
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, path, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		list = append(list, source{path, fset, f})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func TestPackagesHaveOneComment(t *testing.T) {
	comments := map[string]int{}
	for _, s := range sources(t) {
		if s.isTest() {
			continue
		}
		dir := filepath.Dir(s.path)
		comments[dir] += 0
		if s.file.Doc != nil {
			comments[dir]++
		}
	}
	for dir, n := range comments {
		if n != 1 {
			t.Errorf("package in %s has %d package comments, want one", dir, n)
		}
	}
}

func TestPackageNamesSayWhatTheyHold(t *testing.T) {
	for _, s := range sources(t) {
		for name := range strings.SplitSeq(filepath.ToSlash(filepath.Dir(s.path)), "/") {
			if slices.Contains(vagueNames, name) {
				t.Errorf("%s: %q says nothing of what is in there", s.path, name)
			}
		}
	}
}

func TestFilesAndFunctionsAreShort(t *testing.T) {
	for _, s := range sources(t) {
		limit := maxFile
		if s.isTest() {
			limit = maxTestFile
		}
		if n := s.line(s.file.FileEnd); n > limit {
			t.Errorf("%s has %d lines, more than %d", s.path, n, limit)
		}
		for _, d := range s.file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || s.isTest() {
				continue
			}
			if n := s.line(f.End()) - s.line(f.Pos()) + 1; n > maxFunc {
				t.Errorf("%s: %s has %d lines, more than %d", s.path, f.Name.Name, n, maxFunc)
			}
		}
	}
}

// A test that sleeps is slow when it passes and wrong when it fails: wait for
// the event, or use testing/synctest, in whose bubbles sleeping costs nothing.
func TestTestsDoNotSleep(t *testing.T) {
	for _, s := range sources(t) {
		if !s.isTest() && !strings.HasPrefix(s.path, "e2e"+string(filepath.Separator)) {
			continue
		}
		for _, d := range s.file.Decls {
			if !callsTo(d, "synctest", "Test") {
				reportSleeps(t, s, d)
			}
		}
	}
}

func reportSleeps(t *testing.T, s source, d ast.Decl) {
	ast.Inspect(d, func(n ast.Node) bool {
		if isSelector(n, "time", "Sleep") {
			t.Errorf("%s:%d sleeps: wait for the event instead", s.path, s.line(n.Pos()))
		}
		return true
	})
}

// callsTo says that pkg.name appears in a declaration.
func callsTo(d ast.Decl, pkg, name string) bool {
	found := false
	ast.Inspect(d, func(n ast.Node) bool {
		found = found || isSelector(n, pkg, name)
		return !found
	})
	return found
}

func isSelector(n ast.Node, pkg, name string) bool {
	sel, ok := n.(*ast.SelectorExpr)
	if !ok || sel.Sel.Name != name {
		return false
	}
	x, ok := sel.X.(*ast.Ident)
	return ok && x.Name == pkg
}
