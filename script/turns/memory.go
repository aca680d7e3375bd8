package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"
)

// sample is the time between two looks at the memory of running processes.
const sample = 5 * time.Millisecond

// watch notes the most memory that each part of a turn had resident, by what
// the system keeps as its peak, until stop returns it in MiB: of the driver
// (`signaltty turn`) and of `signaltty run`.
func watch(binary string) (stop func() map[string]float64) {
	peak := map[string]float64{}
	done := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		tick := time.NewTicker(sample)
		defer tick.Stop()
		for {
			select {
			case <-done:
				return
			case <-tick.C:
				look(binary, peak)
			}
		}
	})
	return func() map[string]float64 {
		close(done)
		wg.Wait()
		return peak
	}
}

func look(binary string, peak map[string]float64) {
	dirs, _ := filepath.Glob("/proc/[0-9]*")
	for _, dir := range dirs {
		line, _ := os.ReadFile(filepath.Join(dir, "cmdline")) // it may be gone by now
		args := bytes.Split(line, []byte{0})
		if len(args) < 2 || filepath.Base(string(args[0])) != filepath.Base(binary) {
			continue
		}
		verb := string(args[1])
		if verb != "turn" && verb != "run" {
			continue
		}
		status, _ := os.ReadFile(filepath.Join(dir, "status"))
		for line := range strings.Lines(string(status)) {
			if kib, ok := strings.CutPrefix(line, "VmHWM:"); ok {
				n, _ := strconv.ParseFloat(strings.TrimSuffix(strings.TrimSpace(kib), " kB"), 64)
				peak[verb] = max(peak[verb], n/1024)
			}
		}
	}
}

func memory(what string, peak map[string]float64) {
	fmt.Printf("%-30s %7.1f MiB in the driver, %.1f MiB in run, each at its most\n", what, peak["turn"], peak["run"])
}
