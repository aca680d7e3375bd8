package server

import "os"

// Disk is the file system as a policy asks of it.
type Disk struct{}

// Link tells where a symbolic link leads, and whether anything stands at path.
func (Disk) Link(path string) (target string, exists bool) {
	target, err := os.Readlink(path)
	if err == nil {
		return target, true
	}
	_, err = os.Lstat(path)
	return "", err == nil
}
