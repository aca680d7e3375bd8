package policy

import (
	"net/url"
	"strings"
)

// fetch is curl, wget and their like: hosts that they reach, files that they
// write and send.
func (w *walk) fetch(c command) {
	o := parse(c.argv[1:], "-o -O= -d -F -T -H -X -u -A -e -b -c -K -x -m -w -r -D -E -P -U --output --data --data-binary --data-raw --data-urlencode "+
		"--form --upload-file --header --request --user --user-agent --referer --cookie --cookie-jar --config --proxy --max-time --write-out "+
		"--range --dump-header --cert --key --cacert --retry --retry-delay --connect-timeout --json --url --resolve --output-dir --limit-rate "+
		"--output-document --directory-prefix --post-data --post-file --output-file --input-file --tries --timeout -t -T --method --body-data --body-file -a -i")
	wget := c.base == "wget"
	if wget {
		o = parse(c.argv[1:], "-o -O -P -U -t -T -a -i -e --output-document --directory-prefix --output-file --input-file --post-data --post-file "+
			"--header --tries --timeout --user-agent --user --password --method --body-data --body-file --execute")
		w.edit(c, o.of("-O -P -o -a --output-document --directory-prefix --output-file")...)
		w.read(c, o.of("-i --input-file --post-file --body-file")...)
		if len(o.of("-O --output-document -P --directory-prefix")) == 0 && !o.has("--spider") {
			w.edit(c, fileNames(o.operands)...)
		}
		if o.has("-e --execute") {
			w.unclear("wget is given a command of its configuration")
		}
	} else {
		w.edit(c, o.of("-o -D -c --output --output-dir --dump-header --cookie-jar")...)
		w.read(c, o.of("-T -K -E --upload-file --config --cert --key --cacert")...)
		for _, d := range o.of("-d -F --data --data-binary --data-urlencode --form --json") {
			if i := strings.IndexByte(d, '@'); i == 0 || i > 0 && d[i-1] == '=' {
				w.read(c, strings.SplitN(d[i+1:], ";", 2)[0])
			}
		}
		switch {
		case o.has("-J --remote-header-name"):
			w.edit(c, string(unknownName)) // the server chooses
		case o.has("-O --remote-name --remote-name-all"):
			w.edit(c, fileNames(o.operands)...)
		}
		if o.has("-K --config") {
			w.unclear("curl takes options from a file")
		}
	}
	for _, u := range append(o.operands, o.of("--url")...) {
		if !wget && c.base != "curl" && (strings.ContainsAny(u, "=@") || strings.Trim(u, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == "") {
			continue // a field or a method of httpie
		}
		w.host(c, hostOf(u))
	}
}

// fileNames are what downloads are called after their URLs.
func fileNames(urls []string) []string {
	var out []string
	for _, u := range urls {
		u, _, _ = strings.Cut(u, "?")
		if name := u[strings.LastIndexByte(u, '/')+1:]; name != "" {
			out = append(out, name)
		}
	}
	return out
}

// hostOf is the host of a URL, also of one without a scheme. What is not
// known of it stays unknown.
func hostOf(s string) string {
	if _, rest, ok := strings.Cut(s, "://"); ok {
		s = rest
	}
	s, _, _ = strings.Cut(s, "/")
	s, _, _ = strings.Cut(s, "?")
	s, _, _ = strings.Cut(s, "#")
	s = s[strings.LastIndexByte(s, '@')+1:]
	if !isStatic(s) {
		return strings.ReplaceAll(s, unknownMany, string(unknown))
	}
	u, err := url.Parse("//" + s)
	if err != nil || u.Hostname() == "" {
		return string(unknown)
	}
	return strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
}

// connect is a program whose first operand is a host.
func (w *walk) connect(c command) {
	o := parse(c.argv[1:], "-p -i -o -l -F -J -L -R -D -W -b -c -E -e -I -m -O -Q -S -w -x -X --exec --sh-exec")
	for _, opt := range o.of("-o") {
		if l := strings.ToLower(opt); strings.Contains(l, "command") || !isStatic(opt) {
			w.unclear("%s is given a command to run here", c.base)
		}
	}
	if c.base != "ssh" && o.has("-e -c --exec --sh-exec") || c.base == "socat" {
		w.unclear("%s may run a program", c.base)
	}
	w.read(c, o.of("-i -F")...)
	if len(o.operands) > 0 {
		host := o.operands[0]
		w.host(c, hostOf(host[strings.LastIndexByte(host, '@')+1:]))
	}
}

// tar writes an archive, or what is in one.
func (w *walk) tar(c command) {
	args := append([]string{}, c.argv[1:]...)
	if len(args) > 0 && args[0] != "" && args[0][0] != '-' && isStatic(args[0]) {
		args[0] = "-" + args[0] // the old spelling: tar xzf
	}
	o := parse(args, "-f -C -X -T -I -b -H -L -N -K -F --file --directory --exclude --exclude-from --files-from --use-compress-program --to-command "+
		"--checkpoint-action --info-script --new-volume-script --strip-components --transform --one-top-level --owner --group --mode")
	if o.has("-I -F --use-compress-program --to-command --checkpoint-action --info-script --new-volume-script --rsh-command") {
		w.unclear("%s is given a program to run", c.base)
	}
	files := o.of("-f --file")
	into := o.of("-C --directory")
	switch {
	case o.has("-x --extract --get"):
		w.read(c, files...)
		if len(into) == 0 {
			into = []string{"."}
		}
		for _, dir := range into {
			// What is in the archive decides which files.
			w.edit(c, strings.TrimSuffix(dir, "/")+"/"+string(unknown))
		}
	case o.has("-t --list -d --diff --compare"):
		w.read(c, files...)
	default:
		w.edit(c, files...)
		w.path(c, "read", true, o.operands)
	}
}
