package policy

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"signaltty/proto"
)

// manyRules is a policy of 500 rules of every kind.
func manyRules() Policy {
	var p Policy
	for i := range 500 {
		r := Rule{Name: fmt.Sprint("rule ", i), Verdict: []proto.Behavior{proto.Allow, proto.AskFirst, proto.Deny}[i%3]}
		switch i % 4 {
		case 0:
			r.Paths = []string{fmt.Sprintf("**/secret%d/**", i), fmt.Sprintf("~/keys/%d/*.pem", i)}
		case 1:
			r.Commands = []string{fmt.Sprintf("tool%d push --force **", i)}
		case 2:
			r.Hosts = []string{fmt.Sprintf("*.host%d.example", i)}
		case 3:
			r.Paths, r.Tools = []string{fmt.Sprintf("/srv/%d/**/data/**", i)}, []string{proto.ToolEdit}
		}
		p.Rules = append(p.Rules, r)
	}
	return p
}

// BenchmarkJudge tells the p50 and p99 of a verdict with 500 rules, over the
// bypass table. Of each call the best of five counts, so that what else runs
// on the machine does not.
func BenchmarkJudge(b *testing.B) {
	j := manyRules().Bind(here)
	table := rows(b)
	var took []time.Duration
	for i := 0; b.Loop(); i++ {
		r := table[i%len(table)]
		best := time.Hour
		for range 5 {
			began := time.Now()
			j.Judge(ask(call(r.tool, r.call)))
			best = min(best, time.Since(began))
		}
		took = append(took, best)
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds()), "p50-µs")
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "p99-µs")
}
