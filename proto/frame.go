package proto

// Frame is what changed on one pane's screen since the revision that this
// client last received. It is the only thing that the server sends of a
// screen. A row in Rows replaces that row whole: cells that no run covers are
// blank in style 0.
type Frame struct {
	Pane string `json:"pane_id"`
	// Rev is the screen revision that the client holds after applying it.
	Rev uint64 `json:"rev"`
	// Cols and Lines are the size of the screen in cells. When they differ
	// from the size the client holds, the frame is Full.
	Cols  int `json:"cols"`
	Lines int `json:"lines"`
	// Full says that rows which are absent are blank.
	Full bool `json:"full,omitzero"`
	// More says that the same revision goes on in the next frame, and that
	// nothing should be drawn before it.
	More   bool    `json:"more,omitzero"`
	Rows   []Row   `json:"rows,omitempty"`
	Styles []Style `json:"styles,omitempty"`
	Cursor Cursor  `json:"cursor"`
	Modes  Modes   `json:"modes"`
	// History is the number of scrollback lines above the screen.
	History int `json:"history,omitzero"`
	// Scrolled is how many lines entered the scrollback in total since the
	// pane began; it never decreases, so a client that looks at history can
	// keep its place.
	Scrolled uint64 `json:"scrolled,omitzero"`
}

// Row is one line of the screen. Y counts from 0 at the top.
type Row struct {
	Y    int   `json:"y"`
	Runs []Run `json:"runs,omitempty"`
	// Wrapped says that the line goes on in the next row.
	Wrapped bool `json:"wrapped,omitzero"`
}

// Run is text in one style that starts at column Col. Each rune of Text takes
// Width columns (0 means 1). When Cluster is set the whole of Text is one
// grapheme cluster in one cell of Width columns.
type Run struct {
	Col     int    `json:"col"`
	Text    string `json:"text"`
	Style   int    `json:"style,omitzero"`
	Width   int    `json:"width,omitzero"`
	Cluster bool   `json:"cluster,omitzero"`
}

// Style is how text looks. Its ID is valid for one pane on one connection;
// ID 0 is the default style and is never sent. A colour is "" for the
// default, "0" to "255" for the palette, or "#rrggbb".
type Style struct {
	ID int    `json:"id"`
	Fg string `json:"fg,omitempty"`
	Bg string `json:"bg,omitempty"`
	// Ul is the colour of the underline.
	Ul string `json:"ul,omitempty"`
	// Underline is "", "single", "double", "curly", "dotted" or "dashed".
	Underline string `json:"underline,omitempty"`
	Bold      bool   `json:"bold,omitzero"`
	Faint     bool   `json:"faint,omitzero"`
	Italic    bool   `json:"italic,omitzero"`
	Blink     bool   `json:"blink,omitzero"`
	Reverse   bool   `json:"reverse,omitzero"`
	Conceal   bool   `json:"conceal,omitzero"`
	Strike    bool   `json:"strike,omitzero"`
	Overline  bool   `json:"overline,omitzero"`
	Link      string `json:"link,omitempty"`
}

// Cursor is where the application's cursor stands and how it looks.
type Cursor struct {
	X       int  `json:"x"`
	Y       int  `json:"y"`
	Visible bool `json:"visible,omitzero"`
	// Shape is the DECSCUSR number 0 to 6; 0 is the terminal's own choice.
	Shape int `json:"shape,omitzero"`
}

// Modes are the modes of the application that a client needs in order to
// encode keys, mouse and paste as the application asked.
type Modes struct {
	AltScreen      bool `json:"alt_screen,omitzero"`
	AppCursor      bool `json:"app_cursor,omitzero"`      // DECCKM, mode 1
	AppKeypad      bool `json:"app_keypad,omitzero"`      // DECKPAM
	BracketedPaste bool `json:"bracketed_paste,omitzero"` // mode 2004
	FocusEvents    bool `json:"focus_events,omitzero"`    // mode 1004
	// Mouse is 0, or the tracking mode that is set: 9, 1000, 1002 or 1003.
	Mouse int `json:"mouse,omitzero"`
	// MouseSGR says that mouse reports take the SGR form (mode 1006).
	MouseSGR bool `json:"mouse_sgr,omitzero"`
	// Kitty is the flags of the kitty keyboard protocol in force.
	Kitty int `json:"kitty,omitzero"`
	// ModifyOtherKeys is xterm's level 0, 1 or 2.
	ModifyOtherKeys int  `json:"modify_other_keys,omitzero"`
	ReverseScreen   bool `json:"reverse_screen,omitzero"` // DECSCNM, mode 5
}
