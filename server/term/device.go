package term

import (
	"encoding/hex"
	"strings"
)

// deviceControl obeys a device control string.
func (t *Terminal) deviceControl(s string) {
	if what, ok := strings.CutPrefix(s, "$q"); ok {
		t.reportSetting(what)
	} else if names, ok := strings.CutPrefix(s, "+q"); ok {
		t.reportCapabilities(names)
	}
}

// reportSetting is DECRQSS: what would set a function, named by how its
// sequence ends, to what it is.
func (t *Terminal) reportSetting(what string) {
	switch what {
	case "m":
		t.reply("\x1bP1$r%sm\x1b\\", sgrReport(t.pen))
	case "r":
		t.reply("\x1bP1$r%d;%dr\x1b\\", t.top+1, t.bot+1)
	case "s":
		t.reply("\x1bP1$r%d;%ds\x1b\\", t.left+1, t.right+1)
	case " q":
		t.reply("\x1bP1$r%d q\x1b\\", t.shape)
	case `"q`:
		n := 0
		if t.pen.attrs&protected != 0 {
			n = 1
		}
		t.reply("\x1bP1$r%d\"q\x1b\\", n)
	case `"p`: // a VT220 with 7-bit controls
		t.reply("\x1bP1$r62;1\"p\x1b\\")
	case "t":
		t.reply("\x1bP1$r%dt\x1b\\", t.lines)
	default:
		t.reply("\x1bP0$r\x1b\\")
	}
}

// sgrReport is the parameters that make the pen s. Colours take colons:
// Neovim takes direct colours to be known only when they come back so.
func sgrReport(s style) string {
	s.link, s.attrs = 0, s.attrs&^protected
	b := appendSGR(nil, s, ":")
	if len(b) == len("\x1b[m") {
		return "0"
	}
	return string(b[len("\x1b[") : len(b)-1])
}

// capabilities are what applications ask for by XTGETTCAP to learn what the
// name of the terminal does not tell. The sources are the terminfo of ncurses
// 6.4 and the extensions that tmux, Neovim and kitty describe.
var capabilities = map[string]string{
	"TN": "xterm-256color", "name": "xterm-256color",
	"Co": "256", "colors": "256", "RGB": "8/8/8", "Tc": "", "Su": "",
	"Smulx": `\E[4:%p1%dm`, "Setulc": `\E[58:2::%p1%{65536}%/%d:%p1%{256}%/%{255}%&%d:%p1%{255}%&%dm`,
	"Ms": `\E]52;%p1%s;%p2%s\E\\`, "Ss": `\E[%p1%d q`, "Se": `\E[0 q`,
	"setrgbf": `\E[38:2:%p1%d:%p2%d:%p3%dm`, "setrgbb": `\E[48:2:%p1%d:%p2%d:%p3%dm`,
	"Sync": `\E[?2026%?%p1%{1}%-%tl%eh%;`, "smxx": `\E[9m`, "rmxx": `\E[29m`,
}

// reportCapabilities is XTGETTCAP: names in hexadecimal, with semicolons
// between. As in xterm the first that is not known ends the answer.
func (t *Terminal) reportCapabilities(names string) {
	for name := range strings.SplitSeq(names, ";") {
		b, err := hex.DecodeString(name)
		value, ok := capabilities[string(b)]
		switch {
		case err != nil || !ok:
			t.reply("\x1bP0+r%s\x1b\\", clean(name, 64))
			return
		case value == "":
			t.reply("\x1bP1+r%s\x1b\\", name)
		default:
			t.reply("\x1bP1+r%s=%X\x1b\\", name, unescape(value))
		}
	}
}

// unescape makes of a terminfo string what it stands for, but for its
// parameters.
func unescape(s string) string { return strings.NewReplacer(`\E`, "\x1b", `\\`, `\`).Replace(s) }
