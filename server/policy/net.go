package policy

import (
	"net/url"
	"strings"
)

// fetch is curl, wget and their like: hosts that they reach, files that they
// write and send.
func (w *walk) fetch(c command) {
	o := parse(c.argv[1:], "-o -O= -d -F -T -H -X -u -A -e -b -c -K -x -m -w -r -D -E -P -U --output --data --data-binary --data-raw --data-urlencode "+
		"--form --upload-file --header --request --user --user-agent --referer --cookie --cookie-jar --config --proxy --preproxy --socks4 --socks4a --socks5 --socks5-hostname --connect-to --doh-url --unix-socket --abstract-unix-socket --data-ascii --max-time --write-out "+
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
		for _, d := range o.of("-d -F --data --data-ascii --data-binary --form --json") {
			if i := strings.IndexAny(d, "@<"); i == 0 || i > 0 && d[i-1] == '=' {
				w.read(c, strings.SplitN(d[i+1:], ";", 2)[0])
			}
		}
		for _, d := range o.of("--data-urlencode") {
			if name, file, ok := strings.Cut(d, "@"); ok && !strings.Contains(name, "=") {
				w.read(c, file)
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
	w.proxied(c, o, wget)
	for _, u := range append(o.operands, o.of("--url")...) {
		if file, ok := strings.CutPrefix(u, "file://"); ok {
			w.read(c, file)
			continue
		}
		if !wget && c.base != "curl" && (strings.ContainsAny(u, "=@") || strings.Trim(u, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == "") {
			continue // a field or a method of httpie
		}
		w.host(c, hostOf(u))
	}
}

// proxied notes what stands between curl or wget and the host of the URL.
func (w *walk) proxied(c command, o options, wget bool) {
	switch {
	case wget && o.has("-i --input-file"), c.base == "aria2c" && o.has("-i --input-file"):
		w.unclear("%s takes addresses from a file", c.base)
	case wget:
	case o.has("--resolve --connect-to --doh-url --unix-socket --abstract-unix-socket"):
		w.unclear("%s is told where a host is", c.base)
	}
	if wget {
		return
	}
	for _, p := range o.of("-x --proxy --preproxy --socks4 --socks4a --socks5 --socks5-hostname") {
		w.host(c, hostOf(p))
	}
	for _, h := range o.of("-H --header -b --cookie") {
		if file, ok := strings.CutPrefix(h, "@"); ok {
			w.read(c, file)
		}
	}
	for _, jar := range o.of("-b --cookie") {
		if !strings.Contains(jar, "=") {
			w.read(c, jar)
		}
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
	if rest := afterOptions(c.argv[1:], "-b -c -D -E -e -F -I -i -J -L -l -m -O -o -p -Q -R -S -W -w"); c.base == "ssh" && len(rest) > 1 {
		w.elsewhere(strings.Join(rest[1:], " "))
	}
	if len(o.operands) > 0 {
		host := o.operands[0]
		w.host(c, hostOf(host[strings.LastIndexByte(host, '@')+1:]))
	}
}

// elsewhere walks code that runs on another host, which may be this one: what
// is denied here is asked about, and nothing else of it is.
func (w *walk) elsewhere(code string) {
	there := &walk{root: w.root, depth: w.depth}
	there.code(code)
	for _, x := range there.list {
		if x.unclear == "" {
			x.soft, x.implied = true, true
			w.list = append(w.list, x)
		}
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
		if o.has("-T --files-from") {
			w.read(c, o.of("-T --files-from")...)
			w.read(c, string(unknown))
		}
		start := w.now
		w.path(c, "read", true, o.operands)
		for _, dir := range into {
			w.now = w.changeDir([]string{"cd", dir})
			w.path(c, "read", true, o.operands)
		}
		w.now = start
	}
}
