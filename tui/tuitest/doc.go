// Package tuitest drives the screen in tests: a server that does as it is
// told, a person's keys, and a pane of glass that shows what was painted.
//
// It owns a Driver per test. The whole screen, bubbletea and painter included,
// runs in the test's synctest bubble: nothing sleeps, time passes when the
// test says so, and "idle" is a fact.
//
// It may import proto and tui. Only tests import it.
package tuitest
