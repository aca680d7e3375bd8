package store

import (
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"signaltty/budget"
)

// corpus reads the texts of a file, of which there must be enough.
func corpus(t testing.TB, name string) []string {
	t.Helper()
	data, err := os.ReadFile("testdata/redact/" + name)
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSuffix(line, "\n")
		if line != "" && !strings.HasPrefix(line, "# ") {
			texts = append(texts, strings.NewReplacer(`\n`, "\n", "¦", "").Replace(line))
		}
	}
	if len(texts) < 60 {
		t.Fatalf("%s has %d texts", name, len(texts))
	}
	return texts
}

var marked = regexp.MustCompile(`«[^»]*»`)

func TestSecretsAreRedacted(t *testing.T) {
	for _, text := range corpus(t, "secrets.txt") {
		plain := strings.NewReplacer("«", "", "»", "").Replace(text)
		want := marked.ReplaceAllString(text, redacted)
		if i := strings.Index(want, "-----BEGIN"); i >= 0 { // all from there on is the key
			want = want[:i] + redacted
		}
		if got := redact(plain); got != want {
			t.Errorf("%q\n is %q,\nwant %q", plain, got, want)
		}
	}
}

func TestHarmlessTextsStay(t *testing.T) {
	for _, text := range corpus(t, "harmless.txt") {
		if got := redact(text); got != text {
			t.Errorf("%q became %q", text, got)
		}
	}
}

func TestRedactArgs(t *testing.T) {
	for _, test := range []struct{ args, want string }{
		{`["tool","--password","hunter2","run"]`, `["tool","--password","[redacted]","run"]`},
		{`["tool","--token=abc12345","x"]`, `["tool","--token=[redacted]","x"]`},
		{`["tool","--token","--verbose"]`, `["tool","--token","--verbose"]`},
		{`["tool","--password",""]`, `["tool","--password",""]`},
		{`["sh","-c","DB_PASSWORD=hunter2 run"]`, `["sh","-c","DB_PASSWORD=[redacted] run"]`},
		{`[["a"],{"password":"hunter2"},3,null]`, `[["a"],{"password":"[redacted]"},3,null]`},
	} {
		var args []any
		must(t, json.Unmarshal([]byte(test.args), &args))
		redactArgs(args)
		if got, _ := json.Marshal(args); string(got) != test.want {
			t.Errorf("%s is %s, want %s", test.args, got, test.want)
		}
	}
}

// Long content is kept in part: its size and its hash tell the rest.
func TestLongContentIsKeptByItsHash(t *testing.T) {
	long := strings.Repeat("a line of a file\n", 10_000) + "DB_PASSWORD=hunter2"
	w := written(Row{Kind: RowHook, Body: map[string]any{"content": long}})
	if len(w.Body) > 2*maxKept {
		t.Fatalf("%d bytes are kept of %d", len(w.Body), len(long))
	}
	if !strings.Contains(string(w.Body), `[170019 bytes, sha256 `) {
		t.Fatalf("the end is %s", w.Body[len(w.Body)-120:])
	}
}

// A secret that lies across the cut is not kept by half.
func TestNoSecretIsCutInHalf(t *testing.T) {
	for at := maxKept - 60; at < maxKept+10; at++ {
		text := strings.Repeat("x", at) + " ghp" + "_0123456789abcdefghijABCDEFGHIJ012345 " + strings.Repeat("y", 500)
		if got := redactText(text); strings.Contains(got, "0123456789") && !strings.Contains(got, "sha256 ") || strings.Contains(got, "ghp"+"_0") {
			t.Fatalf("at %d: %q", at, got[at-10:])
		}
	}
}

func FuzzRedact(f *testing.F) {
	for _, name := range []string{"secrets.txt", "harmless.txt"} {
		for _, text := range corpus(f, name) {
			f.Add(text)
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		var once string
		budget.Keep(t, len(text), 400, func() { once = redact(text) })
		if utf8.ValidString(text) && !utf8.ValidString(once) {
			t.Errorf("%q became %q, which is no text", text, once)
		}
		kept := redactText(text)
		if len(kept) > 2*maxKept+len(text)%maxKept+200 && len(text) > maxKept {
			t.Errorf("%d bytes became %d", len(text), len(kept))
		}
	})
}
