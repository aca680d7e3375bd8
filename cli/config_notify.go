package cli

import (
	"fmt"
	"slices"

	"signaltty/tui"
)

// defaultNotify calls in the way that the terminal is known to take.
func defaultNotify() tui.Notify { return tui.Notify{Desktop: tui.DesktopAuto, Bell: true} }

// setNotify gives a setting of how the person is called its value.
func (c *config) setNotify(key string, value any) error {
	switch key {
	case "desktop":
		name, _ := value.(string)
		if !slices.Contains(tui.Desktops, tui.Desktop(name)) {
			return fmt.Errorf("notify.desktop is %v; it is one of %q", value, tui.Desktops)
		}
		c.notify.Desktop = tui.Desktop(name)
	case "command":
		return setCommand(&c.notify.Command, "notify.command", value, `["my-notify", "--quiet"]`)
	case "bell":
		on, ok := value.(bool)
		if !ok {
			return fmt.Errorf("notify.bell is %v; it is true or false", value)
		}
		c.notify.Bell = on
	case "on_decision":
		return setCommand(&c.onDecision, "notify.on_decision", value, `["sh", "-c", "jq -r .prompt | my-phone"]`)
	default:
		return noSetting("notify." + key)
	}
	return nil
}

// setCommand gives a setting that is a command its value: a list of strings.
func setCommand(to *[]string, name string, value any, example string) error {
	list, _ := value.([]any)
	var argv []string
	for _, item := range list {
		if s, ok := item.(string); ok {
			argv = append(argv, s)
		}
	}
	if len(argv) == 0 || len(argv) < len(list) || argv[0] == "" {
		return fmt.Errorf("%s is %v; it is a command and its arguments, such as %s", name, value, example)
	}
	*to = argv
	return nil
}
