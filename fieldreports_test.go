package main

import (
	"go/ast"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Each report names tests that exist, and each script and each test of field
// that is named after a report is in its row.
func TestFieldReports(t *testing.T) {
	page, err := os.ReadFile("docs/field-reports.md")
	if err != nil {
		t.Fatal(err)
	}
	tests := map[string]bool{}
	for _, s := range sources(t) {
		for _, d := range s.file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && s.isTest() {
				tests[filepath.ToSlash(filepath.Dir(s.path))+"."+f.Name.Name] = true
			}
		}
	}
	rows := regexp.MustCompile(`(?m)^\| ([A-E][0-9]{2}) \|.*$`).FindAllStringSubmatch(string(page), -1)
	if len(rows) == 0 {
		t.Fatal("docs/field-reports.md has no rows")
	}
	named := map[string]bool{}
	for _, row := range rows {
		references := regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(row[0], -1)
		if len(references) == 0 {
			t.Errorf("%s names no test", row[1])
		}
		for _, r := range references {
			if !tests[r[1]] && !isFile(r[1]) {
				t.Errorf("%s names %s, which does not exist", row[1], r[1])
			}
			named[row[1]+" "+r[1]] = true
		}
	}
	scripts, err := filepath.Glob("testdata/script/[a-e][0-9][0-9]_*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range scripts {
		id := strings.ToUpper(filepath.Base(s)[:3])
		if !named[id+" "+filepath.ToSlash(s)] {
			t.Errorf("%s is not in the row of %s", s, id)
		}
	}
	for test := range tests {
		if m := regexp.MustCompile(`^field\.Test([A-E][0-9]{2})`).FindStringSubmatch(test); m != nil && !named[m[1]+" "+test] {
			t.Errorf("%s is not in the row of %s", test, m[1])
		}
	}
}
