package tui

import (
	"image/color"

	"charm.land/lipgloss/v2"
	uv "github.com/charmbracelet/ultraviolet"
)

// theme is the styles of what signaltty itself draws. They are few and calm;
// whatever they tell is told by a word or a sign as well.
type theme struct {
	text    uv.Style // the terminal's own
	dim     uv.Style // what may be passed over
	strong  uv.Style
	line    uv.Style // seams and borders
	accent  uv.Style // where the focus is
	ask     uv.Style // what waits for the person
	good    uv.Style
	bad     uv.Style
	odd     uv.Style // characters that do not show themselves
	add     uv.Style // of a diff
	del     uv.Style
	key     uv.Style // a key to press
	off     uv.Style // an option that takes no answer now
	chosen  uv.Style // the selected row or text
	caption uv.Style // a heading
	match   uv.Style // what was searched for, over what stands there
	matched uv.Style // the one that the cursor is at
}

func themeFor(dark bool) theme {
	pick := lipgloss.LightDark(dark)
	c := func(light, dark string) color.Color { return pick(lipgloss.Color(light), lipgloss.Color(dark)) }
	fg := func(light, dark string, attrs uint8) uv.Style {
		return uv.Style{Fg: plain(c(light, dark)), Attrs: attrs}
	}
	return theme{
		dim:     fg("#6b6f76", "#8a8f98", 0),
		strong:  uv.Style{Attrs: uv.AttrBold},
		line:    fg("#b9bec6", "#4a4f58", 0),
		accent:  fg("#0b62c4", "#7ab7ff", uv.AttrBold),
		ask:     fg("#9a5b00", "#ffc15e", uv.AttrBold),
		good:    fg("#1c7c3c", "#7fd18c", 0),
		bad:     fg("#b3261e", "#ff8b80", 0),
		odd:     fg("#b3261e", "#ff8b80", uv.AttrReverse),
		add:     fg("#1c7c3c", "#7fd18c", 0),
		del:     fg("#b3261e", "#ff8b80", 0),
		key:     fg("#0b62c4", "#7ab7ff", uv.AttrBold),
		off:     fg("#9aa0a8", "#6b7079", uv.AttrFaint),
		chosen:  uv.Style{Attrs: uv.AttrReverse},
		match:   uv.Style{Fg: plain(c("#1a1a1a", "#1a1a1a")), Bg: plain(c("#ffe08a", "#c9a227")), Underline: uv.UnderlineSingle},
		matched: uv.Style{Fg: plain(c("#ffffff", "#1a1a1a")), Bg: plain(c("#9a5b00", "#ffc15e")), Attrs: uv.AttrBold, Underline: uv.UnderlineDouble},
		caption: fg("#6b6f76", "#8a8f98", uv.AttrBold),
	}
}

// plain is c as a value that compares equal to itself, which cells need.
func plain(c color.Color) color.Color {
	return color.RGBAModel.Convert(c)
}
