//go:build linux

package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
)

// envMCP has the test binary be an MCP server whose one tool asks the person
// to fill in a form, and returns what came of it.
const envMCP = "E2E_MCP"

type rpc struct {
	ID     json.RawMessage `json:"id,omitempty"`
	Method string          `json:"method,omitempty"`
	Params json.RawMessage `json:"params,omitempty"`
	Result json.RawMessage `json:"result,omitempty"`
}

const orderForm = `{"message":"Which colour?","requestedSchema":{"type":"object","properties":{
	"colour":{"type":"string","enum":["red","blue"]},"count":{"type":"integer"},"gift":{"type":"boolean"},"note":{"type":"string"}},
	"required":["colour","count"]}}`

// serveMCP serves until its input ends.
func serveMCP(in io.Reader, out io.Writer) int {
	d := json.NewDecoder(in)
	var call json.RawMessage // the id of the call that asks
	say := func(id json.RawMessage, method, params, result string) {
		m := map[string]any{"jsonrpc": "2.0", "id": id}
		if method != "" {
			m["method"], m["params"] = method, json.RawMessage(params)
		} else {
			m["result"] = json.RawMessage(result)
		}
		line, err := json.Marshal(m)
		if err != nil {
			panic(err) // it is the test's own
		}
		fmt.Fprintf(out, "%s\n", line)
	}
	for {
		var m rpc
		if d.Decode(&m) != nil {
			return 0
		}
		switch {
		case m.Method == "initialize":
			var p struct {
				Version string `json:"protocolVersion"`
			}
			_ = json.Unmarshal(m.Params, &p) // "" is refused by the client
			say(m.ID, "", "", fmt.Sprintf(`{"protocolVersion":%q,"capabilities":{"tools":{}},"serverInfo":{"name":"shop","version":"1"}}`, p.Version))
		case m.Method == "tools/list":
			say(m.ID, "", "", `{"tools":[{"name":"order","description":"Order","inputSchema":{"type":"object","properties":{}}}]}`)
		case m.Method == "tools/call":
			call = m.ID
			say(json.RawMessage("900"), "elicitation/create", orderForm, "")
		case m.Method == "" && string(m.ID) == "900":
			text, _ := json.Marshal(string(m.Result))
			say(call, "", "", `{"content":[{"type":"text","text":`+string(text)+`}]}`)
		case len(m.ID) > 0:
			say(m.ID, "", "", "{}")
		}
	}
}

// mcpFlags give Claude Code that server, and leave to use its tool.
func mcpFlags() []string {
	self, err := os.Executable()
	if err != nil {
		panic(err)
	}
	config := fmt.Sprintf(`{"mcpServers":{"shop":{"command":%q,"env":{%q:"1"}}}}`, self, envMCP)
	return []string{"--mcp-config", config, "--allowedTools", "mcp__shop__order"}
}
