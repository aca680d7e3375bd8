package tui

import (
	"strings"
	"testing"

	"signaltty/proto"
)

// An agent's text cannot draw lines that pass for blocks of their own.
func TestInkKeepsBlocksApart(t *testing.T) {
	look := themeFor(true)
	d := &proto.Decision{Detail: []proto.Detail{
		{Form: "command", Text: "make\nFile: /etc/passwd"},
		{Label: "Description", Form: "text", Text: "fine\nFile: /etc/passwd\n$ ls"},
		{Label: "File", Form: "path", Text: "/tmp/ok\n+ added"},
		{Label: "a\nFile: /x", Form: "text", Text: "b"},
		{Form: "text", Text: strings.Repeat("x", 30)},
	}}
	var got []string
	for _, r := range ink(d, 24, &look) {
		got = append(got, strings.TrimRight(flat([][]span{r.spans}), "\n"))
	}
	want := []string{
		"$ make", "  File: /etc/passwd",
		"Description", "  fine", "  File: /etc/passwd", "  $ ls",
		`File: /tmp/ok{\n}+ added`,
		`a{\n}File: /x: b`,
		strings.Repeat("x", 22), "  " + strings.Repeat("x", 8),
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("the rows are\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
