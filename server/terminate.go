package server

import (
	"context"
	"errors"
	"fmt"
	"net"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"signaltty/proto"
)

// Terminate ends a server that cannot be asked to stop, since it speaks
// another version of the protocol: by SIGTERM, which every version obeys. It
// returns when nobody listens on socket any more.
func Terminate(ctx context.Context, socket string) error {
	pid, err := listenerOf(ctx, socket)
	if err != nil {
		return err
	}
	if err := syscall.Kill(pid, unix.SIGTERM); err != nil {
		return fmt.Errorf("ending the server (pid %d): %w", pid, err)
	}
	retry := time.NewTicker(retryEvery)
	defer retry.Stop()
	for {
		if _, err := listenerOf(ctx, socket); errors.Is(err, proto.ErrNoServer) {
			return nil
		}
		select {
		case <-retry.C:
		case <-ctx.Done():
			return fmt.Errorf("waiting for the server (pid %d) to end: %w", pid, context.Cause(ctx))
		}
	}
}

// listenerOf gives the process that listens on socket. The error is
// proto.ErrNoServer when none does.
func listenerOf(ctx context.Context, socket string) (int, error) {
	var d net.Dialer
	nc, err := d.DialContext(ctx, "unix", socket)
	if errors.Is(err, unix.ENOENT) || errors.Is(err, unix.ECONNREFUSED) {
		return 0, proto.ErrNoServer
	}
	if err != nil {
		return 0, fmt.Errorf("connecting to %s: %w", socket, err)
	}
	defer nc.Close()
	p, err := peerOf(nc)
	if err != nil {
		return 0, fmt.Errorf("finding the server: %w", err)
	}
	return p.pid, nil
}
