package server

import (
	"testing"
	"testing/synctest"
	"time"

	"signaltty/proto"
)

// A token answers one try, for a minute, and always with a denial.
func TestCanary(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var c canaries
		token, err := c.issue()
		if err != nil {
			t.Fatal(err)
		}
		if v := c.verdict("guessed"); v.Behavior != proto.NoVerdict {
			t.Errorf("a guess gets %+v", v)
		}
		if v := c.verdict(token); v.Behavior != proto.Deny || v.Message != "signaltty canary "+token {
			t.Errorf("the first use gets %+v", v)
		}
		if v := c.verdict(token); v.Behavior != proto.NoVerdict {
			t.Errorf("the second use gets %+v", v)
		}
		late, err := c.issue()
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(canaryLife + time.Second)
		if v := c.verdict(late); v.Behavior != proto.NoVerdict {
			t.Errorf("a late use gets %+v", v)
		}
		for range maxCanaries {
			if _, err := c.issue(); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := c.issue(); err == nil {
			t.Error("there is no end to them")
		}
	})
}
