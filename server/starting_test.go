package server

import (
	"testing"
	"testing/synctest"
	"time"
)

func TestStarting(t *testing.T) {
	tests := []struct {
		name  string
		steps func(*starting)
		want  int
	}{
		{"draws and stands still", func(s *starting) { s.drew(); time.Sleep(startQuiet) }, 1},
		{"goes on drawing", func(s *starting) {
			for range 5 {
				s.drew()
				time.Sleep(startQuiet - 1)
			}
		}, 0},
		{"draws nothing", func(*starting) { time.Sleep(time.Hour) }, 0},
		{"is ready", func(s *starting) { s.drew(); s.ready(); s.drew(); time.Sleep(time.Hour) }, 0},
		{"is ready at once", func(s *starting) { s.ready(); s.drew(); time.Sleep(time.Hour) }, 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				waits := 0
				s := newStarting(func() { waits++ })
				test.steps(s)
				synctest.Wait()
				s.ready()
				if waits != test.want {
					t.Errorf("said %d times that it waits, want %d", waits, test.want)
				}
			})
		})
	}
	var none *starting
	none.drew()
	none.ready()
}
