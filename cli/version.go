package cli

import (
	"runtime"
	"runtime/debug"

	"signaltty/proto"

	"github.com/spf13/cobra"
)

// build is the version of this binary, as the Go toolchain recorded it.
func build() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" {
		return "(devel)"
	}
	return info.Main.Version
}

// versionColumns are what `version` tells.
var versionColumns = []column[string]{
	{name: "version", value: func(v string) any { return v }},
	{name: "protocol", value: func(string) any { return proto.Version }},
	{name: "go", value: func(string) any { return runtime.Version() }},
	{name: "platform", value: func(string) any { return runtime.GOOS + "/" + runtime.GOARCH }},
}

func versionCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Tell the version of signaltty and of its protocol",
		Args:  words(),
	}
	asJSON := jsonFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		return details(cmd.OutOrStdout(), *asJSON, versionColumns, build())
	}
	return cmd
}
