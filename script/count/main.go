// Command count reads the output of `go test -json` and counts.
//
// It prints what failed and which tests were skipped, and as its last line
// "N passed, N failed, N skipped". It ends in 1 when a test or a package
// failed, and when a test of a package that matches -required was skipped.
// A test with subtests counts once for each of them and once for itself.
//
// It may import the standard library only.
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
)

func main() {
	required := flag.String("required", "^$", "packages in which a skipped test is a failure (a regular expression)")
	flag.Parse()
	must, err := regexp.Compile(*required)
	if err != nil {
		fmt.Fprintln(os.Stderr, "count: -required:", err)
		os.Exit(2)
	}
	t := tally{out: os.Stdout, required: must, output: map[string][]string{}}
	if err := t.read(os.Stdin); err != nil {
		fmt.Fprintln(os.Stderr, "count:", err)
		os.Exit(2)
	}
	if !t.summary() {
		os.Exit(1)
	}
}

// event is one line of `go test -json`.
type event struct {
	Action     string
	Package    string
	ImportPath string // of build output, which has no Package
	Test       string
	Output     string
}

type tally struct {
	out      io.Writer
	required *regexp.Regexp
	output   map[string][]string // of each test that has not passed, by package and test

	passed, failed, skipped int
	missing                 int // skipped, but required
	broken                  int // packages that failed outside a test, such as to build
	testsFailed             map[string]bool
}

func (t *tally) read(r io.Reader) error {
	t.testsFailed = map[string]bool{}
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var e event
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			fmt.Fprintln(t.out, lines.Text()) // go itself speaks plainly at times
			continue
		}
		t.add(e)
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("reading the test output: %w", err)
	}
	return nil
}

func (t *tally) add(e event) {
	key := e.Package + e.ImportPath + "\t" + e.Test
	switch e.Action {
	case "output", "build-output":
		t.output[key] = append(t.output[key], e.Output)
		return
	case "build-fail":
		fmt.Fprint(t.out, strings.Join(t.output[key], ""))
	case "pass", "fail", "skip":
		t.end(e, key)
	default:
		return
	}
	delete(t.output, key)
}

// end counts the end of a test, or notes that of a package.
func (t *tally) end(e event, key string) {
	switch {
	case e.Test == "" && e.Action == "fail" && !t.testsFailed[e.Package]:
		t.broken++
		fmt.Fprintf(t.out, "FAILED %s\n%s", e.Package, strings.Join(t.output[key], ""))
	case e.Test == "":
	case e.Action == "pass":
		t.passed++
	case e.Action == "fail":
		t.failed++
		t.testsFailed[e.Package] = true
		fmt.Fprintf(t.out, "FAILED %s %s\n%s", e.Package, e.Test, strings.Join(t.output[key], ""))
	case e.Action == "skip":
		t.skipped++
		verdict := "skipped"
		if t.required.MatchString(e.Package) {
			t.missing++
			verdict = "SKIPPED BUT REQUIRED"
		}
		fmt.Fprintf(t.out, "%s %s %s\n%s", verdict, e.Package, e.Test, strings.Join(t.output[key], ""))
	}
}

// summary prints the counts and says whether all is well.
func (t *tally) summary() bool {
	if t.missing > 0 {
		fmt.Fprintf(t.out, "%d required tests were skipped\n", t.missing)
	}
	if t.broken > 0 {
		fmt.Fprintf(t.out, "%d packages failed outside a test\n", t.broken)
	}
	// A package that does not build, and a required test that did not run,
	// are failures in the one line that is read.
	fmt.Fprintf(t.out, "%d passed, %d failed, %d skipped\n", t.passed, t.failed+t.broken+t.missing, t.skipped-t.missing)
	return t.failed == 0 && t.broken == 0 && t.missing == 0 && t.passed > 0
}
