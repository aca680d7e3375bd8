package proto

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"time"
)

// Schema is the protocol as a JSON Schema document (draft 2020-12), made from
// Kinds: one definition per type, and per kind what its lines carry.
func Schema() map[string]any {
	s := schema{defs: map[string]any{}}
	kinds := map[string]any{}
	var lines []any
	for _, k := range Kinds {
		kinds[k.Name] = s.kind(k)
		lines = append(lines, map[string]any{"$ref": "#/kinds/" + k.Name})
	}
	lines = append(lines, map[string]any{"$ref": "#/replies/result"}, map[string]any{"$ref": "#/replies/error"})
	return map[string]any{
		"$schema": "https://json-schema.org/draft/2020-12/schema",
		"title":   "signaltty protocol",
		"version": Version,
		"oneOf":   lines,
		"kinds":   kinds,
		"replies": map[string]any{
			"result": line(map[string]any{"id": id(), "result": map[string]any{"type": "object"}}),
			"error":  line(map[string]any{"id": id(), "error": s.of(reflect.TypeFor[Error]())}),
		},
		"$defs": s.defs,
	}
}

// schema collects the definitions of the types met on the way.
type schema struct {
	defs map[string]any
}

func (s schema) kind(k Kind) map[string]any {
	name := map[string]any{"const": k.Name}
	var l map[string]any
	if k.Form == Event {
		l = line(map[string]any{"event": name, "seq": map[string]any{"type": "integer", "minimum": 0}, "data": s.of(reflect.TypeOf(k.Params))})
		l["required"] = []string{"data", "event"} // frames have no number
	} else {
		l = line(map[string]any{"id": id(), "method": name, "params": s.of(reflect.TypeOf(k.Params))})
		l["access"] = k.Access
		if k.Result != nil {
			l["result"] = s.of(reflect.TypeOf(k.Result))
		}
	}
	l["description"] = k.Doc
	return l
}

// line is an object that has all of the properties.
func line(properties map[string]any) map[string]any {
	var required []string
	for name := range properties {
		required = append(required, name)
	}
	slices.Sort(required)
	return map[string]any{"type": "object", "properties": properties, "required": required}
}

func id() map[string]any { return map[string]any{"type": "integer", "minimum": 1} }

// of is the schema of a Go type as encoding/json writes it.
func (s schema) of(t reflect.Type) map[string]any {
	switch {
	case t == reflect.TypeFor[time.Time]():
		return map[string]any{"type": "string", "format": "date-time"}
	case t == reflect.TypeFor[json.RawMessage]():
		return map[string]any{} // any JSON
	}
	switch t.Kind() {
	case reflect.Bool:
		return map[string]any{"type": "boolean"}
	case reflect.String:
		return map[string]any{"type": "string"}
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return map[string]any{"type": "integer"}
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return map[string]any{"type": "integer", "minimum": 0}
	case reflect.Float32, reflect.Float64:
		return map[string]any{"type": "number"}
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return map[string]any{"type": "string", "contentEncoding": "base64"}
		}
		return map[string]any{"type": "array", "items": s.of(t.Elem())}
	case reflect.Map:
		return map[string]any{"type": "object", "additionalProperties": s.of(t.Elem())}
	case reflect.Pointer:
		return s.of(t.Elem())
	case reflect.Struct:
		return s.ref(t)
	}
	return map[string]any{} // an interface: any JSON
}

// ref names a struct's definition, and makes it when it is not there yet.
func (s schema) ref(t reflect.Type) map[string]any {
	if _, ok := s.defs[t.Name()]; !ok {
		s.defs[t.Name()] = nil // a type may contain itself
		s.defs[t.Name()] = s.object(t)
	}
	return map[string]any{"$ref": "#/$defs/" + t.Name()}
}

func (s schema) object(t reflect.Type) map[string]any {
	properties := map[string]any{}
	required := []string{}
	for f := range t.Fields() {
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "" || name == "-" {
			continue
		}
		properties[name] = nullable(f.Type, options, s.of(f.Type))
		if options == "" {
			required = append(required, name)
		}
	}
	return map[string]any{"type": "object", "properties": properties, "required": required}
}

// nullable lets null in where Go writes a nil that it does not leave out.
func nullable(t reflect.Type, options string, of map[string]any) map[string]any {
	if options != "" || t.Kind() != reflect.Pointer && t.Kind() != reflect.Slice {
		return of
	}
	return map[string]any{"anyOf": []any{of, map[string]any{"type": "null"}}}
}
