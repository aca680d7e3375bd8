package integration

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/tailscale/hujson"

	"signaltty/budget"
)

func TestAddAndCut(t *testing.T) {
	tests := []struct{ name, before, after string }{
		{"empty", `{}`, "{\n  \"hooks\": {\n    \"Stop\": [\n      1\n    ]\n  }\n}"},
		{"empty lines", "{\n}\n", "{\n  \"hooks\": {\n    \"Stop\": [\n      1\n    ]\n  }\n}\n"},
		{"one line", `{"a": 1}`, `{"a": 1, "hooks": {"Stop":[1]}}`},
		{"four blanks", "{\n    \"a\": 1\n}\n", "{\n    \"a\": 1,\n    \"hooks\": {\n        \"Stop\": [\n            1\n        ]\n    }\n}\n"},
		{"tabs", "{\n\t\"a\": 1\n}", "{\n\t\"a\": 1,\n\t\"hooks\": {\n\t\t\"Stop\": [\n\t\t\t1\n\t\t]\n\t}\n}"},
		{"crlf", "{\r\n  \"a\": 1\r\n}\r\n", "{\r\n  \"a\": 1,\r\n  \"hooks\": {\r\n    \"Stop\": [\r\n      1\r\n    ]\r\n  }\r\n}\r\n"},
		{"trailing comma", "{\n  \"a\": 1,\n}", "{\n  \"a\": 1,\n  \"hooks\": {\n    \"Stop\": [\n      1\n    ]\n  },\n}"},
		{"comment after", "{\n  \"a\": 1 // why\n}", "{\n  \"a\": 1, // why\n  \"hooks\": {\n    \"Stop\": [\n      1\n    ]\n  }\n}"},
		{"comments", "// top\n{ // in\n  /* x */ \"a\": 1,\n  // last\n}\n// end\n",
			"// top\n{ // in\n  /* x */ \"a\": 1,\n  // last\n  \"hooks\": {\n    \"Stop\": [\n      1\n    ]\n  },\n}\n// end\n"},
		{"others", "{\n  \"hooks\": {\n    \"Stop\": [\n      0\n    ]\n  },\n  \"z\": 1\n}",
			"{\n  \"hooks\": {\n    \"Stop\": [\n      0,\n      1\n    ]\n  },\n  \"z\": 1\n}"},
		{"other event", "{\n  \"hooks\": {\n    \"Start\": [0]\n  }\n}", "{\n  \"hooks\": {\n    \"Start\": [0],\n    \"Stop\": [\n      1\n    ]\n  }\n}"},
		{"list in a line", `{"hooks": {"Stop": [0]}}`, `{"hooks": {"Stop": [0, 1]}}`},
	}
	path := []string{"hooks", "Stop"}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := text(test.before).add(path, []byte("1"))
			if err != nil || string(got) != test.after {
				t.Fatalf("got\n%s\n%v, want\n%s", got, err, test.after)
			}
			back, err := got.cut(path, func(i item) bool { return string(standard(i.value)) == "1" })
			if err == nil {
				back, err = back.tidy(path, nil)
			}
			// Only the record knows how an empty object was written.
			if want := test.before; err != nil || string(back) != want && want != "{}" {
				t.Errorf("cut out again it is\n%s\n%v, want\n%s", back, err, want)
			}
		})
	}
}

func TestWhatIsNotUnderstoodIsNamed(t *testing.T) {
	tests := []struct{ text, want string }{
		{"{\n  \"a\": 1\n  \"b\": 2\n}", "line 3, column 3"},
		{"{", "line 1"},
		{"[]", "the whole of it (line 1, column 1) is not an object"},
		{"{\n \"hooks\": []}", `"hooks" (line 2, column 11) is not an object`},
		{`{"hooks": {"Stop": {}}}`, `"hooks.Stop" (line 1, column 20) is not a list`},
		{`{"hooks": {}, "hooks": {}}`, `"hooks" is there twice, the second time at line 1, column 15`},
	}
	for _, test := range tests {
		_, err := text(test.text).add([]string{"hooks", "Stop"}, []byte("1"))
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%q: %v, want %s", test.text, err, test.want)
		}
	}
}

// Whatever a file looks like, what is added is there, what was there stays,
// and taking it out again leaves the bytes as they were.
func FuzzAddAndCut(f *testing.F) {
	for _, s := range []string{`{}`, "{\n  \"a\": 1, // x\n}", `{"hooks":{"Stop":[0]}}`, "{\"hooks\":{\"Stop\":[ /* y */ ]}}", "// c\n{\r\n\"hooks\": {}}"} {
		f.Add(s)
	}
	path := []string{"hooks", "Stop"}
	const ours = `{"ours":true}`
	f.Fuzz(func(t *testing.T, s string) {
		if len(s) > 4<<10 || strings.Contains(s, "ours") {
			return
		}
		budget.Keep(t, len(s), 4000, func() {
			before := text(s)
			after, err := before.add(path, []byte(ours))
			if err != nil {
				return
			}
			if !same(t, before, after, path) {
				t.Fatalf("%q became %q", before, after)
			}
			items, err := after.list(path)
			if err != nil || len(items) == 0 || string(standard(items[len(items)-1].value)) != ours {
				t.Fatalf("%q has not got it: %v", after, err)
			}
			back, err := after.cut(path, func(i item) bool { return string(standard(i.value)) == ours })
			if err == nil {
				back, err = back.tidy(path, before)
			}
			if err != nil {
				t.Fatalf("%q: %v", after, err)
			}
			// What holds nothing but white space may have got some.
			if was, is := bytes.Fields(before), bytes.Fields(back); !bytes.Equal(bytes.Join(was, nil), bytes.Join(is, nil)) {
				t.Fatalf("%q came back as %q by %q", before, back, after)
			}
		})
	})
}

// same says that two texts mean the same but for the list at a path.
func same(t *testing.T, a, b text, path []string) bool {
	t.Helper()
	plain := func(x text) map[string]any {
		s, err := hujson.Standardize(bytes.Clone(x))
		if err != nil {
			t.Fatalf("%q: %v", x, err)
		}
		var m map[string]any
		if json.Unmarshal(s, &m) != nil {
			return nil
		}
		if hooks, ok := m[path[0]].(map[string]any); ok {
			delete(hooks, path[1])
			if len(hooks) == 0 {
				delete(m, path[0])
			}
		}
		return m
	}
	x, _ := json.Marshal(plain(a))
	y, _ := json.Marshal(plain(b))
	return bytes.Equal(x, y)
}
