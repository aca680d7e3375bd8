package adapters

import (
	"iter"
	"slices"
	"strings"
)

// registry is sorted by name and only written while the package starts.
var registry []Adapter

// register adds an adapter. Two of one name are a mistake in this package.
func register(a Adapter) {
	i, found := slices.BinarySearchFunc(registry, a.Name, func(a Adapter, name string) int {
		return strings.Compare(a.Name, name)
	})
	if found {
		panic("adapters: two adapters are named " + a.Name)
	}
	registry = slices.Insert(registry, i, a)
}

// All yields the adapters in the order of their names.
func All() iter.Seq[Adapter] { return slices.Values(registry) }

// Lookup finds an adapter by its name.
func Lookup(name string) (Adapter, bool) {
	for _, a := range registry {
		if a.Name == name {
			return a, true
		}
	}
	return Adapter{}, false
}

// Names lists the adapters' names, for messages.
func Names() string {
	var names []string
	for _, a := range registry {
		names = append(names, a.Name)
	}
	return strings.Join(names, ", ")
}
