package proto_test

import (
	"encoding/json"
	"strings"
	"testing"

	"signaltty/proto"
)

// The schema is checked by what it says of the golden examples: each property
// that a kind writes is defined, and each required one is written.
func TestSchemaDescribesTheGoldenLines(t *testing.T) {
	doc := asJSON(t, proto.Schema())
	kinds := doc["kinds"].(map[string]any)
	for _, k := range proto.Kinds {
		s, ok := kinds[k.Name].(map[string]any)
		if !ok {
			t.Errorf("%s is not in the schema", k.Name)
			continue
		}
		part := "params"
		if k.Form == proto.Event {
			part = "data"
		}
		conforms(t, doc, k.Name, s["properties"].(map[string]any)[part], asJSON(t, examples[k.Name].params))
		if k.Result != nil {
			conforms(t, doc, k.Name+" result", s["result"], asJSON(t, examples[k.Name].result))
		}
	}
}

func asJSON(t *testing.T, v any) map[string]any {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	var m map[string]any
	if err := json.Unmarshal(data, &m); err != nil {
		t.Fatal(err)
	}
	return m
}

// conforms checks value against the part of JSON Schema that Schema uses.
func conforms(t *testing.T, doc map[string]any, at string, schema, value any) {
	t.Helper()
	s, _ := schema.(map[string]any)
	if either, ok := s["anyOf"].([]any); ok {
		if value == nil {
			return
		}
		s = either[0].(map[string]any)
	}
	if ref, ok := s["$ref"].(string); ok {
		s, _ = doc["$defs"].(map[string]any)[strings.TrimPrefix(ref, "#/$defs/")].(map[string]any)
	}
	if want, ok := s["type"]; ok && want != typeOf(value) && !(want == "integer" && typeOf(value) == "number") {
		t.Errorf("%s is %s, the schema says %s", at, typeOf(value), want)
		return
	}
	switch v := value.(type) {
	case []any:
		for _, item := range v {
			conforms(t, doc, at+"[]", s["items"], item)
		}
	case map[string]any:
		properties, ok := s["properties"].(map[string]any)
		if !ok {
			return // any object
		}
		for name, inner := range v {
			if properties[name] == nil {
				t.Errorf("%s.%s is not in the schema", at, name)
				continue
			}
			conforms(t, doc, at+"."+name, properties[name], inner)
		}
		for _, name := range s["required"].([]any) {
			if _, ok := v[name.(string)]; !ok {
				t.Errorf("%s: the schema requires %s, which is not written", at, name)
			}
		}
	}
}

func typeOf(v any) string {
	switch v.(type) {
	case bool:
		return "boolean"
	case string:
		return "string"
	case float64:
		return "number"
	case []any:
		return "array"
	case map[string]any:
		return "object"
	}
	return "null"
}
