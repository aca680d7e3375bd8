package term

// A table gives small numbers to values. Number 0 is the zero value. It is
// bounded: when it has grown to its threshold, the owner sweeps what no cell
// uses; when even that leaves it full, new values get no number.
type table[V comparable] struct {
	values []V
	ids    map[V]uint32
	free   []uint32
	limit  int
	// sweepAt is the count of live values that makes a sweep due. After a
	// sweep it is twice what was kept, so that sweeps cost a constant per
	// value; at the limit, misses stand in for growth.
	sweepAt int
	misses  int
}

const firstSweep = 1024

func newTable[V comparable](limit int) table[V] {
	var zero V
	return table[V]{
		values:  []V{zero},
		ids:     map[V]uint32{zero: 0},
		limit:   limit,
		sweepAt: min(firstSweep, limit),
	}
}

// due says that a sweep should come before the next add.
func (t *table[V]) due() bool {
	return len(t.ids) >= t.sweepAt && (len(t.ids) < t.limit || t.misses%firstSweep == 0)
}

// add gives v a number. It returns false when the table is full.
func (t *table[V]) add(v V) (uint32, bool) {
	if len(t.ids) >= t.limit {
		t.misses++
		return 0, false
	}
	if n := len(t.free); n > 0 {
		id := t.free[n-1]
		t.free = t.free[:n-1]
		t.values[id], t.ids[v] = v, id
		return id, true
	}
	id := uint32(len(t.values))
	t.values = append(t.values, v)
	t.ids[v] = id
	return id, true
}

// sweep drops the values whose numbers are not in live.
func (t *table[V]) sweep(live bitset) {
	var zero V
	t.free = t.free[:0]
	for id := 1; id < len(t.values); id++ {
		if live.has(id) {
			continue
		}
		if v := t.values[id]; v != zero {
			delete(t.ids, v)
			t.values[id] = zero
		}
		t.free = append(t.free, uint32(id))
	}
	t.sweepAt = min(t.limit, max(firstSweep, 2*len(t.ids)))
	t.misses = 1
}

// bitset is a set of small numbers.
type bitset []uint64

func newBitset(n int) bitset { return make(bitset, (n+63)/64) }

func (b bitset) has(i int) bool { return i/64 < len(b) && b[i/64]>>(i%64)&1 != 0 }

func (b bitset) set(i int) { b[i/64] |= 1 << (i % 64) }
