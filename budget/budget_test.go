package budget

import (
	"fmt"
	"testing"
)

// told records what a test would have been told.
type told struct {
	testing.TB
	errors []string
}

func (t *told) Helper() {}

func (t *told) Errorf(format string, args ...any) {
	t.errors = append(t.errors, fmt.Sprintf(format, args...))
}

var sink []byte

func TestKeep(t *testing.T) {
	for _, c := range []struct {
		name  string
		n     int
		bytes int
		want  int // failures
	}{
		{"within", 1000, baseMemory / 2, 0},
		{"in proportion", 1 << 20, 8 << 20, 0},
		{"too much", 1000, 4 * baseMemory, 1},
	} {
		fake := &told{TB: t}
		Keep(fake, c.n, 10, func() { sink = make([]byte, c.bytes) })
		if len(fake.errors) != c.want {
			t.Errorf("%s: told %q, want %d", c.name, fake.errors, c.want)
		}
	}
}
