package server

import (
	"context"
	"os"
	"path/filepath"

	"signaltty/proto"
	"signaltty/server/policy"
	"signaltty/store"
)

// ProjectPolicy is where a workspace keeps rules of its own, below its directory.
const ProjectPolicy = ".signaltty/policy.toml"

// maxProject is how large a workspace's policy may be, in bytes.
const maxProject = 256 << 10

// Workspace is the directory under work that dir belongs to.
func Workspace(dir string) string { return workspaceDir(dir) }

// ReadProject reads and checks the policy of a workspace's directory.
func ReadProject(dir string) (text string, err error) {
	file := filepath.Join(dir, ProjectPolicy)
	info, err := os.Stat(file)
	switch {
	case err != nil:
		return "", proto.Errorf(proto.CodeBadRequest, "reading the project's policy: %v; it is %s in the workspace's directory", err, ProjectPolicy)
	case !info.Mode().IsRegular() || info.Size() > maxProject:
		return "", proto.Errorf(proto.CodeTooLarge, "%s is not a file of at most %d KiB", file, maxProject>>10)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return "", proto.Errorf(proto.CodeBadRequest, "reading the project's policy: %v", err)
	}
	if _, err := policy.ParseProject(file, data); err != nil {
		return "", proto.Errorf(proto.CodeBadRequest, "%v", err)
	}
	return string(data), nil
}

func policyTrust(c *client, ctx context.Context, req proto.PolicyTrust) (any, error) {
	if !filepath.IsAbs(req.Dir) {
		return nil, proto.Errorf(proto.CodeBadRequest, "policy.trust: field \"dir\" is not an absolute directory")
	}
	dir, text := filepath.Clean(req.Dir), ""
	if !req.Forget {
		var err error
		if text, err = ReadProject(dir); err != nil {
			return nil, err
		}
		if store.TextHash(text) != req.SHA256 {
			return nil, proto.Errorf(proto.CodeBadRequest, "the file %s is not the one that was read any more; read it again, then trust it", filepath.Join(dir, ProjectPolicy))
		}
	}
	if err := c.s.store.Trust(context.WithoutCancel(ctx), c.by(), dir, text, req.Forget); err != nil {
		return nil, err
	}
	c.s.gate.forget()
	return proto.None{}, nil
}
