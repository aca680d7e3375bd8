// The plugin that signaltty gives OpenCode in its panes. For each event that
// matters it runs one process of `signaltty hook-event`, which tells the
// server; for an ask that process stays until there is an answer, which goes
// into OpenCode by its own API. Nothing that goes wrong here may disturb
// OpenCode, except in the gate, which fails closed.
//
// Written for OpenCode 1.18.33, on which every event below was measured.
import { spawn } from "node:child_process"
import { readFileSync } from "node:fs"

// hooks.command is the binary; hooks.events has the arguments, the time-out in
// seconds, and whether it is a gate, of each event that signaltty wants.
const hooks = JSON.parse(readFileSync(new URL("opencode-hooks.json", import.meta.url), "utf8"))

// What is remembered and what may wait is bounded.
const most = 512

function remember(map, key, value) {
  map.delete(key)
  map.set(key, value)
  if (map.size > most) map.delete(map.keys().next().value)
}

// run starts the hook of an event. ended resolves, always, to how it ended;
// code is -1 when it did not end by itself.
function run(event, payload) {
  const hook = hooks.events[event]
  const said = { code: -1, stdout: "", stderr: "" }
  let child
  const ended = new Promise((resolve) => {
    const end = (code, why) => resolve({ ...said, code, stderr: said.stderr || why })
    try {
      child = spawn(hooks.command, hook.args, { stdio: ["pipe", "pipe", "pipe"] })
    } catch (err) {
      return end(-1, String(err))
    }
    const timer = setTimeout(() => child.kill("SIGKILL"), hook.seconds * 1000)
    child.stdout.on("data", (text) => (said.stdout += text))
    child.stderr.on("data", (text) => (said.stderr += text))
    child.stdin.on("error", () => {}) // it may end before it has read everything
    child.on("error", (err) => (clearTimeout(timer), end(-1, String(err))))
    child.on("close", (code) => (clearTimeout(timer), end(code ?? -1, "the hook was killed")))
    child.stdin.end(JSON.stringify(payload))
  })
  return { ended, stop: () => child?.kill() }
}

// soon says whether a promise is fulfilled within a moment.
function soon(promise) {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, 500, false)
    promise.then(() => (clearTimeout(timer), resolve(true)))
  })
}

class Plugin {
  constructor({ client, directory }) {
    this.client = client
    this.directory = directory
    this.sessions = new Map() // id -> { root, agent }
    this.calls = new Map() // id of a tool call -> { tool, args }
    this.holds = new Map() // id of an ask -> its running hook
    this.busy = new Set() // sessions in a turn
    this.failed = new Map() // those of them whose turn did not end well -> what is told of it
    this.current = "" // the root session that worked last
    this.queue = Promise.resolve()
    this.waiting = 0
  }

  // enqueue does one thing after the other, so that events arrive in their order.
  enqueue(work) {
    if (this.waiting >= most) return
    this.waiting++
    this.queue = this.queue.then(work).catch(() => {}).then(() => { this.waiting-- })
  }

  // family finds the session that a subagent's session belongs to.
  async family(id) {
    const known = this.sessions.get(id)
    if (known) return known
    const { data } = await this.client.session.get({ path: { id } })
    return this.relate(data ?? { id })
  }

  async relate(info) {
    const root = info.parentID ? (await this.family(info.parentID)).root : info.id
    const relation = { root, agent: info.agent }
    remember(this.sessions, info.id, relation)
    return relation
  }

  async payload(session, more) {
    const { root, agent } = await this.family(session)
    const subagent = root === session ? {} : { subagent_id: session, subagent: agent }
    return { session_id: root, ...subagent, cwd: this.directory, ...more }
  }

  async tell(event, session, more) {
    if (hooks.events[event]) await run(event, await this.payload(session, more)).ended
  }

  // start binds the root session to its pane, also one that is older than this process.
  async start(session, source) {
    if (this.current === session) return
    this.current = session
    await this.tell("session.start", session, { source })
  }

  async status(session, type) {
    if (type === "idle") return this.idle(session)
    if (this.busy.has(session)) return
    this.busy.add(session)
    const { root } = await this.family(session)
    if (root === session) await this.start(session, "resume")
    await this.tell("session.status", session, { source: type })
  }

  async idle(session) {
    if (!this.busy.delete(session)) return
    // Why a turn ended is now and then told just after its end.
    if (!this.failed.has(session)) await new Promise((resolve) => setTimeout(resolve, 150))
    const { event, message } = this.failed.get(session) ?? { event: "session.idle" }
    this.failed.delete(session)
    await this.tell(event, session, { message })
  }

  async handle({ type, properties: p }) {
    switch (type) {
      case "session.created": {
        const { root } = await this.relate(p.info)
        if (root === p.info.id) await this.start(root, "startup")
        break
      }
      case "session.status":
        await this.status(p.sessionID, p.status.type)
        break
      case "session.deleted":
        await this.over(p.info.id, "deleted")
        break
      case "permission.asked":
      case "question.asked":
        await this.ask(type, p)
        break
      case "permission.replied":
      case "question.replied":
      case "question.rejected":
        await this.settle(type, p)
        break
      case "message.part.updated": // a tool call that failed
        await this.toolEnded(p.part.sessionID, p.part.tool, p.part.callID, p.part.state.input, p.part.state.error)
        break
    }
  }

  // note remembers how a turn went wrong, at once: its end may be waiting in
  // the queue already. A turn that goes on is well again.
  note({ type, properties: { sessionID, status, error } }) {
    if (type === "session.status" && status.type !== "idle") this.failed.delete(sessionID)
    if (type !== "session.error" || !sessionID) return
    const event = error?.name === "MessageAbortedError" ? "session.interrupt" : "session.error"
    remember(this.failed, sessionID, { event, message: String(error?.data?.message ?? error?.name ?? "unknown") })
  }

  async over(session, source) {
    if (this.current !== session) return
    this.current = ""
    await this.tell("session.end", session, { source })
  }

  async toolEnded(session, tool, call, args, error) {
    this.calls.delete(call)
    await this.tell("tool.execute.after", session, { tool_name: tool, tool_use_id: call, tool_input: args, message: error })
  }

  // ask holds an ask until there is an answer. again says that OpenCode did
  // not take a first one.
  async ask(event, request, again) {
    if (!hooks.events[event]) return
    const call = this.calls.get(request.tool?.callID)
    const hold = run(event, await this.payload(request.sessionID, { request, tool_name: call?.tool, tool_input: call?.args }))
    this.holds.set(request.id, hold)
    hold.ended.then(async ({ code, stdout }) => {
      if (this.holds.get(request.id) === hold) this.holds.delete(request.id)
      if (code !== 0 || !stdout || (await this.reply(event, request.id, JSON.parse(stdout))) || again) return
      this.enqueue(() => this.ask(event, request, true))
    }).catch(() => {})
  }

  // reply gives OpenCode an answer, and says whether that settled the ask:
  // one that is gone was answered in OpenCode's own dialog.
  async reply(event, id, answer) {
    const [kind] = event.split(".")
    const verb = answer.answers || answer.reply ? "reply" : "reject"
    const { response } = await this.client._client.post({
      url: `/${kind}/${id}/${verb}`,
      body: answer,
      headers: { "content-type": "application/json" },
    })
    return response?.ok || response?.status === 404
  }

  // settle tells that an ask has its answer, wherever it was given, and lets
  // go what still holds it.
  async settle(event, p) {
    const hold = this.holds.get(p.requestID)
    await this.tell(event, p.sessionID, { request: p })
    if (!hold || (await soon(hold.ended))) return
    // It was too young to be known to the server.
    hold.stop()
    await hold.ended
    await this.tell(event, p.sessionID, { request: p })
  }

  // gate runs before each tool, before OpenCode's own permission.
  async gate({ tool, sessionID, callID }, { args }) {
    remember(this.calls, callID, { tool, args })
    const hook = hooks.events["tool.execute.before"]
    if (!hook) return
    let end = { code: -1, stderr: "" }
    try {
      end = await run("tool.execute.before", await this.payload(sessionID, { tool_name: tool, tool_use_id: callID, tool_input: args })).ended
    } catch (err) {
      end.stderr = String(err)
    }
    if (end.code === 2 || (hook.gate && end.code !== 0)) {
      throw new Error(end.stderr.trim() || "signaltty denies this, since it cannot decide")
    }
  }

  async dispose() {
    for (const hold of this.holds.values()) hold.stop()
    if (this.current) this.enqueue(() => this.over(this.current, "exit"))
    await this.queue
  }
}

const wanted = new Set([
  "session.created", "session.status", "session.deleted",
  "permission.asked", "permission.replied", "question.asked", "question.replied", "question.rejected",
])

const once = Symbol.for("signaltty")

export const signaltty = async (input) => {
  // Given twice, it would ask everything twice.
  if (globalThis[once]) return {}
  globalThis[once] = true
  const plugin = new Plugin(input)
  plugin.enqueue(() => run("plugin.ready", { cwd: plugin.directory }).ended)
  return {
    event: async ({ event }) => {
      plugin.note(event)
      const failed = event.type === "message.part.updated" && event.properties.part.type === "tool" && event.properties.part.state.status === "error"
      if (failed || wanted.has(event.type)) plugin.enqueue(() => plugin.handle(event))
    },
    "tool.execute.before": (call, output) => plugin.gate(call, output),
    "tool.execute.after": async ({ tool, sessionID, callID, args }) => {
      plugin.enqueue(() => plugin.toolEnded(sessionID, tool, callID, args))
    },
    dispose: async () => {
      globalThis[once] = false
      await plugin.dispose()
    },
  }
}
