// Package turn drives one headless turn: it is the program of the pane that
// the turn runs in.
//
// It owns the agent's process and its streams, the order and numbering of the
// turn's envelopes, the time limits, and the outcome. What an agent's stream
// means is its adapter's; what a person or a rule decides comes from the
// server, over the same socket and by the same kinds as from a hook.
//
// It promises that every turn ends with turn_complete, that no envelope is
// lost or out of order (a reader that is slow slows the agent), that a line of
// any length or shape is told and never fatal, and that no process that the
// turn started is left when Run returns.
//
// It may import proto and adapters.
package turn
