package cli

import (
	"errors"
	"strings"
	"testing"

	"signaltty/adapters"
)

// What the kernel cannot do here is not promised.
func TestCoverage(t *testing.T) {
	a, _ := adapters.Lookup("claude")
	if c := coverage(a, nil); !strings.Contains(c.Kernel, "signaltty confine") || c.Before != a.Can.Gate {
		t.Errorf("coverage says %+v", c)
	}
	if c := coverage(a, errors.New("the kernel has no Landlock")); c.Kernel != "nothing on this machine: the kernel has no Landlock" {
		t.Errorf("of a kernel that cannot, coverage says %+v", c)
	}
}
