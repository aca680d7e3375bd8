package tui

import (
	"image"

	"signaltty/proto"
)

// tile is where one pane stands: a row of title, and the body below it that
// has the size of the pane's PTY.
type tile struct {
	pane  string
	title image.Rectangle
	body  image.Rectangle
}

// plan is where everything stands.
type plan struct {
	sidebar image.Rectangle // empty when it is hidden
	content image.Rectangle // all panes
	status  image.Rectangle
	tiles   []tile
	seams   []image.Rectangle // the columns between panes side by side
}

const (
	sidebarWide   = 28
	sidebarNarrow = 22
	wideFrom      = 110 // columns from which the sidebar is wide
	sidebarFrom   = 56  // columns below which there is no room for it
)

// layout divides a screen of that size. tree may be nil.
func layout(cols, lines int, sidebar bool, tree *proto.Split) plan {
	var p plan
	p.status = image.Rect(0, max(lines-1, 0), cols, lines)
	left := 0
	if sidebar && cols >= sidebarFrom {
		left = sidebarNarrow
		if cols >= wideFrom {
			left = sidebarWide
		}
		p.sidebar = image.Rect(0, 0, left, p.status.Min.Y)
		left++ // the seam
	}
	p.content = image.Rect(left, 0, cols, p.status.Min.Y)
	p.divide(tree, p.content)
	return p
}

func (p *plan) divide(s *proto.Split, r image.Rectangle) {
	switch {
	case s == nil:
	case s.Pane != "":
		t := tile{pane: s.Pane, title: r, body: r}
		t.title.Max.Y = min(r.Min.Y+1, r.Max.Y)
		t.body.Min.Y = t.title.Max.Y
		p.tiles = append(p.tiles, t)
	case s.Dir == "columns":
		room := r.Dx() - 1
		if room < 2 {
			p.divide(s.A, r)
			return
		}
		at := r.Min.X + part(room, s.Share)
		p.divide(s.A, image.Rect(r.Min.X, r.Min.Y, at, r.Max.Y))
		p.seams = append(p.seams, image.Rect(at, r.Min.Y, at+1, r.Max.Y))
		p.divide(s.B, image.Rect(at+1, r.Min.Y, r.Max.X, r.Max.Y))
	default:
		if r.Dy() < 4 {
			p.divide(s.A, r)
			return
		}
		at := r.Min.Y + max(2, min(part(r.Dy(), s.Share), r.Dy()-2))
		p.divide(s.A, image.Rect(r.Min.X, r.Min.Y, r.Max.X, at))
		p.divide(s.B, image.Rect(r.Min.X, at, r.Max.X, r.Max.Y))
	}
}

// part is share percent of room, with something left on both sides.
func part(room, share int) int {
	if share <= 0 {
		share = 50
	}
	return max(1, min(room*share/100, room-1))
}

// tile finds a pane's.
func (p *plan) tile(pane string) (tile, bool) {
	for _, t := range p.tiles {
		if t.pane == pane {
			return t, true
		}
	}
	return tile{}, false
}

// under is the tile at a point.
func (p *plan) under(at image.Point) (tile, bool) {
	for _, t := range p.tiles {
		if at.In(t.title) || at.In(t.body) {
			return t, true
		}
	}
	return tile{}, false
}

// reshare is a copy of the tree in which the seam in that direction nearest
// to the pane moved by percent; ok is false when there is none.
func reshare(s *proto.Split, pane, dir string, by int) (_ *proto.Split, ok bool) {
	if s == nil || s.Pane != "" {
		return s, false
	}
	c := *s
	if a, ok := reshare(s.A, pane, dir, by); ok {
		c.A = a
		return &c, true
	}
	if b, ok := reshare(s.B, pane, dir, by); ok {
		c.B = b
		return &c, true
	}
	for _, id := range leaves(s) {
		if id == pane && s.Dir == dir {
			share := s.Share
			if share == 0 {
				share = 50
			}
			c.Share = max(5, min(share+by, 95))
			return &c, true
		}
	}
	return s, false
}
