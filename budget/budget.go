// Package budget is what fuzz targets hold a parser to beside their own
// checks: time and memory in proportion to what it is given.
//
// It owns the measure and the slack that a busy machine needs. It promises to
// fail the test and nothing else. It may import the standard library only, and
// only tests import it.
package budget

import (
	"runtime"
	"testing"
	"time"
)

const (
	// baseTime and baseMemory are what any input may take: a garbage
	// collection or another process may fall into the measure.
	baseTime   = time.Second
	baseMemory = 1 << 20
	perByte    = 10 * time.Microsecond
)

// Keep runs work on an input of n bytes. It fails when that took more than a
// second and 10 µs a byte, or more than 1 MiB and memory bytes a byte, counting
// all that was allocated.
func Keep(t testing.TB, n, memory int, work func()) {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	began := time.Now()
	work()
	took := time.Since(began)
	runtime.ReadMemStats(&after)
	if limit := baseTime + time.Duration(n)*perByte; took > limit {
		t.Errorf("%d bytes took %v, more than %v", n, took, limit)
	}
	if used, limit := after.TotalAlloc-before.TotalAlloc, uint64(baseMemory+memory*n); used > limit {
		t.Errorf("%d bytes took %d bytes of memory, more than %d", n, used, limit)
	}
}
