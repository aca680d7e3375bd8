package policy

import (
	"path"
	"slices"
	"strings"
)

// words is a compiled pattern of a command: words with * in them, and ** for
// any number of words.
type words struct {
	globs []glob
	many  []bool // that word is **
	flags []string
	// plain are the words that are no flags, for matching in any order of flags.
	plain []int
}

func compileWords(pattern string) words {
	var p words
	for i, f := range strings.Fields(pattern) {
		p.globs = append(p.globs, compileGlob(f, true))
		p.many = append(p.many, f == "**")
		if i > 0 && strings.HasPrefix(f, "-") && len(f) > 1 {
			p.flags = append(p.flags, f)
		} else {
			p.plain = append(p.plain, i)
		}
	}
	return p
}

// binDirs are where a program of a plain name is found.
var binDirs = []string{"/bin", "/usr/bin", "/usr/local/bin", "/sbin", "/usr/sbin", "/opt/homebrew/bin"}

// against matches a command. An allow takes the whole command in this order.
// A deny or an ask also takes more words, and flags in any order and spelling.
func (p *words) against(a *access, allow bool) match {
	if len(p.globs) == 0 {
		return no
	}
	if allow {
		if !p.many[0] && p.globs[0].against(path.Base(a.bare[0])) == no && p.globs[0].against(a.bare[0]) == no {
			return no
		}
		argv := slices.Clone(a.bare)
		if dir := path.Dir(argv[0]); slices.Contains(binDirs, dir) && !strings.Contains(p.globs[0].prefix, "/") {
			argv[0] = path.Base(argv[0])
		}
		if p.covers(argv, false) {
			return yes
		}
		return no
	}
	best := p.strict(a.argv)
	if best < yes && len(a.bare) != len(a.argv) {
		best = max(best, p.strict(a.bare))
	}
	return best
}

// strict matches one spelling of a command against a deny or an ask.
func (p *words) strict(argv []string) match {
	name := p.name(argv[0])
	if name == no {
		return no
	}
	static := !slices.ContainsFunc(argv, func(s string) bool { return !isStatic(s) })
	if static && name == yes && (p.covers(argv, true) || p.covers(based(argv), true) || p.anyOrder(argv)) {
		return yes
	}
	if !static && (p.covers(argv, true) || p.covers(based(argv), true)) {
		return yes
	}
	if !static && p.meets(argv) {
		return maybe
	}
	return no
}

// name matches the program alone, by its path or its name.
func (p *words) name(s string) match {
	if p.many[0] {
		return yes
	}
	return max(p.globs[0].against(s), p.globs[0].against(path.Base(s)))
}

func based(argv []string) []string {
	return append([]string{path.Base(argv[0])}, argv[1:]...)
}

// covers says that the pattern takes the words in their order, whatever they
// become. With more, words may follow.
func (p *words) covers(argv []string, more bool) bool {
	at := make([]bool, len(p.globs)+1)
	at[0] = true
	p.skip(at)
	for _, word := range argv {
		if more && at[len(p.globs)] {
			return true
		}
		next := make([]bool, len(at))
		for k := range p.globs {
			g := &p.globs[k]
			switch {
			case !at[k]:
			case p.many[k]:
				next[k] = true
			case word != unknownMany && g.against(word) == yes:
				next[k+1] = true
			}
		}
		p.skip(next)
		at = next
	}
	return at[len(p.globs)]
}

// meets says that words which are not all known may become what the pattern takes.
func (p *words) meets(argv []string) bool {
	at := make([]bool, len(p.globs)+1)
	at[0] = true
	p.skip(at)
	for i, word := range argv {
		if at[len(p.globs)] {
			return true
		}
		next := make([]bool, len(at))
		for k := range p.globs {
			g := &p.globs[k]
			switch {
			case !at[k]:
			case word == unknownMany:
				for m := k; m < len(next); m++ {
					next[m] = true
				}
			case p.many[k]:
				next[k] = true
			case g.against(word) != no || i == 0 && g.against(path.Base(word)) != no:
				next[k+1] = true
			}
		}
		p.skip(next)
		at = next
	}
	return at[len(p.globs)]
}

func (p *words) skip(at []bool) {
	for k, many := range p.many {
		if at[k] && many {
			at[k+1] = true
		}
	}
}

// anyOrder matches with the flags taken as a set: rm -fr is rm -r -f, and a
// word after a flag may be its value.
func (p *words) anyOrder(argv []string) bool {
	have := map[string]bool{}
	var plain []string
	var afterFlag []bool
	dashes := false
	for i, a := range argv {
		if i > 0 && !dashes && strings.HasPrefix(a, "-") && len(a) > 1 {
			dashes = a == "--"
			for _, f := range spell(a) {
				have[f] = true
			}
			continue
		}
		plain = append(plain, a)
		afterFlag = append(afterFlag, i > 1 && !dashes && strings.HasPrefix(argv[i-1], "-"))
	}
	for _, f := range p.flags {
		for _, s := range spell(f) {
			if !have[s] {
				return false
			}
		}
	}
	return p.inOrder(p.plain, plain, afterFlag)
}

// inOrder matches the words that are no flags. One that may be the value of a
// flag can be left out.
func (p *words) inOrder(pattern []int, words []string, loose []bool) bool {
	if len(pattern) == 0 {
		return true
	}
	k := pattern[0]
	if p.many[k] {
		for i := 0; i <= len(words); i++ {
			if p.inOrder(pattern[1:], words[i:], loose[i:]) {
				return true
			}
		}
		return false
	}
	if len(words) == 0 {
		return false
	}
	if p.globs[k].against(words[0]) == yes || p.globs[k].against(trimmed(words[0])) == yes || p.globs[k].against(path.Base(words[0])) == yes && k == 0 {
		if p.inOrder(pattern[1:], words[1:], loose[1:]) {
			return true
		}
	}
	return loose[0] && p.inOrder(pattern, words[1:], loose[1:])
}

// trimmed is a word as a path may be written shorter: ./x/ is x.
func trimmed(word string) string {
	return strings.TrimSuffix(strings.TrimPrefix(word, "./"), "/")
}

// long are short flags that long ones say too, in most programs.
var long = map[string]string{
	"--recursive": "-r", "-R": "-r", "--force": "-f", "--all": "-a", "--verbose": "-v", "--delete": "-d", "--global": "-g", "--yes": "-y", "--interactive": "-i",
}

// spell lists the single flags of a word.
func spell(a string) []string {
	if strings.HasPrefix(a, "--") {
		name, _, _ := strings.Cut(a, "=")
		if s, ok := long[name]; ok {
			return []string{s}
		}
		return []string{name}
	}
	var out []string
	for k := 1; k < len(a); k++ {
		f := "-" + a[k:k+1]
		if s, ok := long[f]; ok {
			f = s
		}
		out = append(out, f)
	}
	return out
}
