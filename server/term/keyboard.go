package term

// maxKitty bounds the stack of the kitty keyboard protocol. When it is full
// the oldest entry goes, as the protocol says.
const maxKitty = 16

// kittyFlags are the progressive enhancements that exist.
const kittyFlags = 31

// A kittyStack is the keyboard state of one screen. Its last entry is in
// force.
type kittyStack []uint8

func (k kittyStack) flags() int {
	if len(k) == 0 {
		return 0
	}
	return int(k[len(k)-1])
}

func (k *kittyStack) push(f int) {
	if len(*k) == maxKitty {
		*k = append((*k)[:0], (*k)[1:]...)
	}
	*k = append(*k, uint8(f&kittyFlags))
}

func (k *kittyStack) pop(n int) { *k = (*k)[:max(0, len(*k)-n)] }

// set changes the flags in force: mode 1 sets all of them, 2 adds, 3 removes.
func (k *kittyStack) set(f, mode int) {
	if len(*k) == 0 {
		k.push(0)
	}
	top := &(*k)[len(*k)-1]
	switch f := uint8(f & kittyFlags); mode {
	case 1:
		*top = f
	case 2:
		*top |= f
	case 3:
		*top &^= f
	}
}

// kittyKeyboard obeys CSI > u (push), < u (pop), = u (set) and ? u (query).
func (t *Terminal) kittyKeyboard() {
	k := &t.screen.kitty
	switch t.prefix {
	case '>':
		k.push(t.arg(0))
	case '<':
		k.pop(t.count(0))
	case '=':
		k.set(t.arg(0), t.count(1))
	case '?':
		t.reply("\x1b[?%du", k.flags())
	}
}

// setOtherKeys is XTMODKEYS for resource 4, modifyOtherKeys.
func (t *Terminal) setOtherKeys() {
	if n := t.arg(0); n != 4 && n != 0 { // 0: all resources go back
		return
	}
	t.modes.set(modeOtherKeys, false)
	switch t.arg(1) {
	case 1:
		t.modes.set(modeOtherKeys1, true)
	case 2:
		t.modes.set(modeOtherKeys2, true)
	}
}

// reportOtherKeys is XTQMODKEYS.
func (t *Terminal) reportOtherKeys() {
	if t.arg(0) == 4 {
		t.reply("\x1b[>4;%dm", t.Modes().ModifyOtherKeys)
	}
}
