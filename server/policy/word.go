package policy

import (
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"
)

// maxBraces is how many words one brace expansion may make.
const maxBraces = 64

// words evaluates the words of a command as far as they can be known.
func (w *walk) words(list []*syntax.Word) []string {
	var out []string
	for _, word := range list {
		if !splitsBraces(word) {
			out = append(out, w.word(word)...)
			continue
		}
		if countBraces(word) > maxBraces {
			out = append(out, unknownMany)
			continue
		}
		for each, err := range expand.BracesSeq(nil, word) {
			if err != nil {
				out = append(out, unknownMany)
				break
			}
			out = append(out, w.word(each)...)
		}
	}
	return out
}

// splitsBraces finds the brace expansions of a word.
func splitsBraces(word *syntax.Word) bool {
	for _, p := range word.Parts {
		if l, ok := p.(*syntax.Lit); ok && strings.Contains(l.Value, "{") {
			syntax.SplitBraces(word)
			break
		}
	}
	for _, p := range word.Parts {
		if _, ok := p.(*syntax.BraceExp); ok {
			return true
		}
	}
	return false
}

// countBraces is how many words a word's braces make, or more than maxBraces.
func countBraces(word *syntax.Word) int {
	n := 1
	for _, p := range word.Parts {
		b, ok := p.(*syntax.BraceExp)
		if !ok {
			continue
		}
		if b.Sequence {
			return maxBraces + 1 // {1..9999999}
		}
		sum := 0
		for _, e := range b.Elems {
			sum += countBraces(e)
		}
		if n *= sum; n > maxBraces {
			return n
		}
	}
	return n
}

// word evaluates one word. An expansion outside quotes may make any number of
// words of it.
func (w *walk) word(word *syntax.Word) []string {
	switch s, splits := w.text(word); {
	case !splits:
		return []string{s}
	case s == string(unknown):
		return []string{unknownMany}
	default:
		return []string{s, unknownMany}
	}
}

// one evaluates a word that does not become several, such as the value of an
// assignment.
func (w *walk) one(word *syntax.Word) string {
	if word == nil {
		return ""
	}
	s, _ := w.text(word)
	return s
}

// text evaluates a word as one text, and says whether it may be split.
func (w *walk) text(word *syntax.Word) (text string, splits bool) {
	var b strings.Builder
	for i, p := range word.Parts {
		if l, ok := p.(*syntax.Lit); ok {
			b.WriteString(w.bare(l.Value, i == 0))
			continue
		}
		text, known := w.part(p)
		b.WriteString(text)
		switch p.(type) {
		case *syntax.ParamExp, *syntax.CmdSubst:
			splits = splits || !known || strings.ContainsAny(text, " \t\n*?[")
		case *syntax.DblQuoted:
			splits = splits || !known && expandsAll(p)
		}
	}
	return b.String(), splits
}

// expandsAll says that a quoted text has "$@", which makes several words.
func expandsAll(p syntax.WordPart) bool {
	q, _ := p.(*syntax.DblQuoted)
	for _, inner := range q.Parts {
		e, ok := inner.(*syntax.ParamExp)
		if ok && (e.Param != nil && e.Param.Value == "@" || e.Index != nil) {
			return true
		}
	}
	return false
}

// part evaluates a part of a word other than plain text.
func (w *walk) part(p syntax.WordPart) (text string, known bool) {
	switch p := p.(type) {
	case *syntax.SglQuoted:
		if !p.Dollar {
			return p.Value, true
		}
		if s, _, err := expand.Format(nil, p.Value, nil); err == nil && !strings.Contains(p.Value, "%") && isStatic(s) {
			return s, true
		}
	case *syntax.DblQuoted:
		var b strings.Builder
		known = true
		for _, inner := range p.Parts {
			if l, ok := inner.(*syntax.Lit); ok {
				b.WriteString(unescape(l.Value))
				continue
			}
			s, k := w.part(inner)
			b.WriteString(s)
			known = known && k
		}
		return b.String(), known
	case *syntax.ParamExp:
		if v, ok := w.value(p); ok {
			return v, true
		}
	case *syntax.ProcSubst:
		return "/dev/fd/63", true
	case *syntax.ExtGlob:
		return string(unknownName), true
	case *syntax.ArithmExp:
		return string(unknownName), true
	}
	return string(unknown), false
}

// value is what a plain $NAME is, where that is known.
func (w *walk) value(p *syntax.ParamExp) (string, bool) {
	if p.Param == nil || p.Excl || p.Length || p.Index != nil || p.Slice != nil || p.Repl != nil || p.Exp != nil || p.Names != 0 {
		return "", false
	}
	name := p.Param.Value
	if v, ok := w.vars[name]; ok {
		return v, true
	}
	if w.assigned[name] > 0 || w.hides {
		return "", false
	}
	switch name {
	case "HOME":
		return w.root.home, true
	case "PWD":
		if len(w.now) == 1 {
			return w.now[0], true
		}
	}
	return "", false
}

// bare evaluates text outside quotes: escapes, the home directory, globs.
func (w *walk) bare(s string, first bool) string {
	var b strings.Builder
	if first && strings.HasPrefix(s, "~") {
		name, _, _ := strings.Cut(s[1:], "/")
		if name != "" || w.assigned["HOME"] > 0 {
			b.WriteByte(unknown) // another user's, or the directory before
		} else {
			b.WriteString(w.root.home)
		}
		s = s[1+len(name):]
	}
	for i := 0; i < len(s); i++ {
		switch c := s[i]; c {
		case '\\':
			if i++; i < len(s) && s[i] != '\n' {
				b.WriteByte(s[i])
			}
		case '*', '?':
			b.WriteByte(unknownName)
		case '[':
			if end := strings.IndexByte(s[i+1:], ']'); end > 0 {
				b.WriteByte(unknownName)
				i += end + 1
				continue
			}
			b.WriteByte(c)
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// unescape takes the backslashes out of text in double quotes.
func unescape(s string) string {
	if !strings.Contains(s, "\\") {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) {
			switch s[i+1] {
			case '$', '`', '"', '\\':
				i++
			case '\n':
				i++
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}
