package cli

import (
	"errors"
	"strings"
	"testing"

	"signaltty/adapters"
)

// No two agents are covered alike, and none that writes beside its settings is
// said to have them protected.
func TestCoverageDiffers(t *testing.T) {
	seen := map[string]string{}
	for a := range adapters.All() {
		c := coverage(a, nil)
		if other := seen[c.Before+c.Told+c.Never]; other != "" {
			t.Errorf("of %s and %s coverage says the same", a.Name, other)
		}
		seen[c.Before+c.Told+c.Never] = a.Name
		if a.Shared() != strings.Contains(c.Kernel, "not kernel-protected") {
			t.Errorf("of %s coverage says %q", a.Name, c.Kernel)
		}
	}
}

// What the kernel cannot do here is not promised.
func TestCoverage(t *testing.T) {
	a, _ := adapters.Lookup("claude")
	if c := coverage(a, nil); !strings.Contains(c.Kernel, "signaltty confine") || !strings.Contains(c.Kernel, "cannot change") || c.Before != a.Can.Gate || c.Told != a.Can.Told {
		t.Errorf("coverage says %+v", c)
	}
	if c := coverage(a, errors.New("the kernel has no Landlock")); c.Kernel != "nothing on this machine: the kernel has no Landlock" {
		t.Errorf("of a kernel that cannot, coverage says %+v", c)
	}
}
