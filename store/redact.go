package store

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// redacted stands where a secret was.
const redacted = "[redacted]"

// maxRedact is how much of a text is looked through. Beyond maxKept of it the
// audit has a hash in its place, so that nothing further on is ever kept.
const (
	maxKept   = 4 << 10
	maxRedact = 16 << 10
)

// secret is one shape in which secrets are written. Its expression is tried
// only on texts that have one of its hints; its groups named s are cut out,
// or all of it where it has none.
type secret struct {
	hints []string // in lower case
	re    *regexp.Regexp
	group []int
}

func shape(hints, expression string) secret {
	s := secret{hints: strings.Fields(hints), re: regexp.MustCompile(expression)}
	for i, name := range s.re.SubexpNames() {
		if name == "s" {
			s.group = append(s.group, i)
		}
	}
	if s.group == nil {
		s.group = []int{0}
	}
	return s
}

// Parts of the expressions. A value is in quotes, or goes on to the next space
// or separator; what only names a secret (a variable, a substitution, a
// placeholder, a path) is told from it by isValue.
const (
	quoted  = `"(?P<s>(?:[^"\\\n]|\\.)+)"|'(?P<s>[^'\n]+)'`
	value   = `(?:` + quoted + `|(?P<s>[^\s"'` + "`" + `;|&<>,)\]}][^\s"'` + "`" + `;|&<>,)\]}]*))`
	argVal  = `(?:` + quoted + `|(?P<s>[^\s"';|&<>-][^\s"';|&<>]*))`
	nameEnd = `(?:passw(?:or)?d|passphrase|secret|token|api_?-?key|apikey|access_?-?key|private_?-?key|secret_?-?key|account_?-?key|encryption_?-?key|signing_?-?key|auth_?-?key|client_?-?secret|credentials?)`
)

// secrets are the shapes, those that swallow others first. They are made when
// the first is looked for: every verb of the binary links them, a hook's too.
var secrets = sync.OnceValue(func() []secret {
	return []secret{
		shape(`-----begin`, `-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----[\s\S]*?(?:-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----|$)`),
		shape(`age-secret-key-`, `AGE-SECRET-KEY-1[0-9A-Z]{50,}`),

		// Tokens that are known by their first letters.
		shape(`sk- sk_ rk_ pk_`, `\b(?:sk-(?:[a-z]+-)*[A-Za-z0-9_-]{20,}|[srp]k_(?:live|test)_[A-Za-z0-9]{10,})`),
		shape(`ghp_ gho_ ghu_ ghs_ ghr_ github_pat_ glpat- gldt- glrt-`, `\b(?:gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,}|gl(?:pat|dt|rt)-[A-Za-z0-9_.-]{16,})`),
		shape(`xox xapp-`, `\b(?:xox[abeoprs]|xapp)-[A-Za-z0-9-]{10,}`),
		shape(`akia asia`, `\b(?:AKIA|ASIA)[0-9A-Z]{16}\b`),
		shape(`aiza ya29. gocspx-`, `\b(?:AIza[0-9A-Za-z_-]{30,}|ya29\.[0-9A-Za-z_-]{20,}|GOCSPX-[0-9A-Za-z_-]{20,})`),
		shape(`npm_ pypi- hf_ gsk_ xai- r8_ hvs. dop_v1_ shpat_ dckr_pat_ nrak- lin_api_ sbp_ whsec_ tskey- pplx-`,
			`\b(?:npm_[A-Za-z0-9]{30,}|pypi-AgE[A-Za-z0-9_-]{20,}|hf_[A-Za-z0-9]{25,}|gsk_[A-Za-z0-9]{30,}|xai-[A-Za-z0-9]{30,}|r8_[A-Za-z0-9]{30,}|hvs\.[A-Za-z0-9_-]{20,}|dop_v1_[a-f0-9]{40,}|shpat_[a-fA-F0-9]{20,}|dckr_pat_[A-Za-z0-9_-]{16,}|NRAK-[A-Z0-9]{20,}|lin_api_[A-Za-z0-9]{20,}|sbp_[a-f0-9]{30,}|whsec_[A-Za-z0-9+/=]{20,}|tskey-[a-z]+-[A-Za-z0-9-]{16,}|pplx-[A-Za-z0-9]{30,})`),
		shape(`sg.`, `\bSG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}`),
		shape(`eyj`, `\beyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*`),
		shape(`:aa`, `(?:^|[^0-9])(?P<s>[0-9]{8,10}:AA[A-Za-z0-9_-]{30,})`),
		shape(`hooks.slack.com /api/webhooks/`, `(?:hooks\.slack\.com/(?:services|workflows)/|/api/webhooks/[0-9]+/)(?P<s>[A-Za-z0-9/_-]{16,})`),

		// URLs.
		shape(`://`, `[A-Za-z][A-Za-z0-9+.-]*://[^\s/:@"'<>]*:(?P<s>[^\s/@"'<>]+)@`),
		shape(`://`, `https?://(?P<s>[A-Za-z0-9_-]{20,})@`),
		shape(`= `, `[?&](?i:access_token|token|api_?key|key|sig|signature|x-amz-signature|x-amz-security-token|client_secret|password|auth|code)=(?P<s>[^\s&"'#<>]{8,})`),

		// Headers.
		shape(`authorization`, `(?i)\b(?:proxy-)?authorization["']?\s*[:=]\s*["']?(?:(?:bearer|basic|token|digest|negotiate|apikey|aws4-hmac-sha256)\s+)?(?P<s>[^\s"',;][^\n"']*)`),
		shape(`bearer`, `(?i)\bbearer\s+(?P<s>[A-Za-z0-9._~+/=-]{12,})`),
		shape(`cookie`, `(?i)\b(?:set-)?cookie["']?\s*:\s*(?P<s>[^\n"']+)`),
		shape(`x- api-key`, `(?i)\b(?:x-[a-z-]*(?:token|key|auth|secret)|api-key)["']?\s*:\s*["']?(?P<s>[^\s"',]+)`),

		// Arguments of commands.
		shape(`--`, `(?i)(?:^|[\s"'])--?[a-z0-9-]*`+nameEnd+`(?:[ \t]+|=)`+argVal),
		shape(`curl wget`, `\b(?:curl|wget)\b[^\n|;]*?\s(?:-u|--user|--proxy-user|-U)[ =]?["']?[^\s:"'/]*:(?P<s>[^\s"']+)`),
		shape(`mysql mariadb`, `\b(?:mysql|mysqldump|mysqladmin|mariadb|mariadb-dump)\b[^\n|;]*?\s-p(?P<s>[^\s"';|&]+|"[^"]+"|'[^']+')`),
		shape(`sshpass`, `\bsshpass\b[^\n|;]*?\s-p\s*`+argVal),
		shape(`login redis-cli ldap zip htpasswd mongo keytool smbclient`,
			`\b(?:(?:docker|podman|az|oc|helm registry)\s+login\b[^\n|;]*?\s-p|redis-cli\b[^\n|;]*?\s-a|ldap[a-z]+\b[^\n|;]*?\s-w|(?:un)?zip\b[^\n|;]*?\s-P|mongo(?:sh|dump|restore)?\b[^\n|;]*?\s-p|keytool\b[^\n|;]*?\s-(?:store|key)pass)\s*`+argVal),
		shape(`htpasswd`, `\bhtpasswd\s+-[a-zA-Z]*b[a-zA-Z]*\s+\S+\s+\S+\s+`+argVal),
		shape(`smbclient smb`, `\s-U\s+["']?[^\s%"']+%(?P<s>[^\s"']+)`),
		shape(`pass:`, `(?:^|[\s=])pass:(?P<s>[^\s"']+)`),
		shape(`chpasswd passwd sudo`, `\b(?:echo|printf)\s+(?:-[a-zA-Z]+\s+)*(?:`+quoted+`|(?P<s>[^\s|"']+))\s*\|\s*(?:sudo\s+(?:chpasswd|passwd|-[A-Za-z]*S)|chpasswd|passwd)`),
		shape(`config`, `(?i)\bconfig(?:ure)?\s+set\s+["']?[\w.:/-]*(?:`+nameEnd+`|_auth|_authtoken)["']?[ =]+`+value),
		shape(`_auth`, `(?i)_auth(?:token)?\s*=\s*`+value),
		shape(`login`, `\blogin\s+\S+\s+password\s+(?P<s>\S+)`),
		shape(`identified`, `(?i)\bidentified\s+(?:with\s+\S+\s+)?by\s+`+value),
		shape(`password`, `(?i)\b(?:user|role|login)\s+\S+\s+(?:with\s+)?(?:encrypted\s+)?password\s*=?\s*'(?P<s>[^'\n]+)'`),

		// Assignments: of a shell, of TOML, YAML, JSON and code.
		shape(`pass pwd secret token key cred`, `(?i)(?:^|[^A-Za-z0-9])[A-Za-z0-9_.-]*`+nameEnd+`["']?\]?\s*(?::=|=>|=|:)\s*`+value),
		shape(`_pass= _pwd= -pass= pgpass`, `(?i)\b[A-Za-z0-9]+[_-](?:pass|pwd)\s*=\s*`+value),
		shape(`accountkey sharedaccess`, `(?i)\b(?:accountkey|sharedaccesskey|sharedaccesssignature)=(?P<s>[^\s;"']+)`),
		shape(`pwd= password=`, `(?i);\s*(?:pwd|password)=(?P<s>[^\s;"']+)`),
	}
})

// redact takes the secrets out of a text: keys, tokens, passwords in
// arguments, assignments, headers and URLs, private keys. It knows shapes, not
// meanings: docs/audit.md says what passes it.
func redact(text string) string {
	if len(text) < 8 {
		return text
	}
	lower := strings.ToLower(text)
	for _, s := range secrets() {
		if !slices.ContainsFunc(s.hints, func(h string) bool { return strings.Contains(lower, h) }) {
			continue
		}
		if next := s.cut(text); next != text {
			text, lower = next, strings.ToLower(next)
		}
	}
	return text
}

// cut replaces the secrets of one shape.
func (s secret) cut(text string) string {
	var out strings.Builder
	done := 0
	for _, m := range s.re.FindAllStringSubmatchIndex(text, -1) {
		for _, g := range s.group {
			from, to := m[2*g], m[2*g+1]
			if from < done || from < 0 || !isValue(text[from:to]) {
				continue
			}
			out.WriteString(text[done:from])
			out.WriteString(redacted)
			done = to
		}
	}
	if done == 0 {
		return text
	}
	out.WriteString(text[done:])
	return out.String()
}

// notSecret are words that stand where a secret could.
var notSecret = []string{
	"string", "str", "text", "bytes", "byte", "number", "int", "bool", "boolean", "any", "object", "null", "nil", "none", "undefined",
	"true", "false", "yes", "no", "on", "off", "required", "optional", "prompt", "empty", "invalid", "missing", "wrong", "incorrect",
	"expired", "the", "a", "is", "was", "not", "and", "or", "for", "in", "to", "of", "try", "please", "enter", "self", "this", "new", "get",
	redacted, strings.Trim(redacted, "[]"), "[redacted", "password", "token", "secret",
}

// isValue says that what stands where a secret could is none of the things
// that only name one: a variable, a substitution, a placeholder, a call, a path.
func isValue(v string) bool {
	switch {
	case strings.HasPrefix(v, redacted), strings.Trim(v, "*•.xX#-_") == "":
		return false
	case strings.ContainsRune("$<{(%[", rune(v[0])), strings.HasPrefix(v, "/"), strings.HasPrefix(v, "./"), strings.HasPrefix(v, "~/"):
		return false
	case strings.ContainsAny(v, "("), strings.HasPrefix(v, "process.env"), strings.HasPrefix(v, "os."), strings.HasPrefix(v, "env."):
		return false
	}
	return !slices.Contains(notSecret, strings.ToLower(strings.Trim(v, `.:;?!"'`)))
}

// bearing are options whose next argument is a secret.
var bearing = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)^--?[a-z0-9-]*` + nameEnd + `$`) })

// redactArgs takes the secrets out of the arguments of a command.
func redactArgs(args []any) {
	for i, arg := range args {
		text, ok := arg.(string)
		if !ok {
			args[i] = redactAny(arg)
			continue
		}
		before := ""
		if i > 0 {
			before, _ = args[i-1].(string)
		}
		if bearing().MatchString(before) && len(text) > 0 && isValue(text) && !strings.HasPrefix(text, "-") {
			args[i] = redacted
			continue
		}
		args[i] = redactText(text)
	}
}

// redactBody is a row's body without secrets and without long content.
func redactBody(body map[string]any) any {
	if len(body) == 0 {
		return nil
	}
	// As JSON first: a body may hold values of any type.
	text, err := json.Marshal(body)
	if err != nil {
		return map[string]any{"unwritable": err.Error()}
	}
	d := json.NewDecoder(strings.NewReader(string(text)))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return map[string]any{"unwritable": err.Error()}
	}
	return redactAny(v)
}

func redactAny(v any) any {
	switch v := v.(type) {
	case string:
		return redactText(v)
	case []any:
		redactArgs(v)
	case map[string]any:
		for key, inner := range v {
			if text, ok := inner.(string); ok && named().MatchString(key) && text != "" && isValue(text) {
				v[key] = redacted
				continue
			}
			v[key] = redactAny(inner)
		}
	}
	return v
}

// named are keys whose value is a secret.
var named = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)(?:^|[_.-])` + nameEnd + `$`) })

// redactText is a text without secrets; one that is long is kept in part, with
// its size and the hash of all of it.
func redactText(text string) string {
	if len(text) <= maxKept {
		return redact(text)
	}
	sum := sha256.Sum256([]byte(text))
	head := cutText(redact(cutText(text, maxRedact)), maxKept)
	return fmt.Sprintf("%s… [%d bytes, sha256 %s]", head, len(text), hex.EncodeToString(sum[:]))
}
