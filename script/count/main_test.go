package main

import (
	"regexp"
	"strings"
	"testing"
)

func TestTally(t *testing.T) {
	tests := []struct {
		name, in string
		want     string // the last line
		well     bool
	}{
		{"all pass", `{"Action":"pass","Package":"p","Test":"A"}
{"Action":"pass","Package":"p"}`, "1 passed, 0 failed, 0 skipped", true},
		{"one fails", `{"Action":"pass","Package":"p","Test":"A"}
{"Action":"fail","Package":"p","Test":"B"}
{"Action":"fail","Package":"p"}`, "1 passed, 1 failed, 0 skipped", false},
		{"a skip", `{"Action":"pass","Package":"p","Test":"A"}
{"Action":"skip","Package":"p","Test":"B"}`, "1 passed, 0 failed, 1 skipped", true},
		{"a required test is skipped", `{"Action":"pass","Package":"p","Test":"A"}
{"Action":"skip","Package":"e2e/claude","Test":"B"}`, "1 passed, 1 failed, 0 skipped", false},
		{"a package does not build", `{"Action":"pass","Package":"p","Test":"A"}
{"ImportPath":"q","Action":"build-output","Output":"oops\n"}
{"ImportPath":"q","Action":"build-fail"}
{"Action":"fail","Package":"q"}`, "1 passed, 1 failed, 0 skipped", false},
		{"a package has no tests", `{"Action":"skip","Package":"p"}
{"Action":"pass","Package":"q","Test":"A"}`, "1 passed, 0 failed, 0 skipped", true},
		{"nothing ran", ``, "0 passed, 0 failed, 0 skipped", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var out strings.Builder
			c := tally{out: &out, required: regexp.MustCompile("e2e/"), output: map[string][]string{}}
			if err := c.read(strings.NewReader(tt.in)); err != nil {
				t.Fatal(err)
			}
			if well := c.summary(); well != tt.well {
				t.Errorf("well is %v", well)
			}
			lines := strings.Split(strings.TrimSpace(out.String()), "\n")
			if got := lines[len(lines)-1]; got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}
