package cli

import (
	"errors"
	"fmt"
	"os/exec"
	"syscall"
)

// openers are the programs that open an address in the person's browser.
var openers = []string{"xdg-open", "open", "wslview"}

// openAddress opens an address in the person's browser, and returns when the
// program that does it has ended.
func openAddress(address string) error {
	for _, name := range openers {
		path, err := exec.LookPath(name)
		if err != nil {
			continue
		}
		cmd := exec.Command(path, address)
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // it outlives this terminal
		if err := cmd.Run(); err != nil {
			return fmt.Errorf("%s did not open the address: %w; y copies it", name, err)
		}
		return nil
	}
	return errors.New("there is no program here that opens addresses, such as xdg-open; y copies it")
}
