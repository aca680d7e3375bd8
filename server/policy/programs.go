package policy

import (
	"slices"
	"strings"
	"sync"
)

// program is what is known of a program: which of its arguments are files that
// it reads or writes, and whether it runs others.
type program struct {
	// values are the options that take a value, separated by spaces.
	values string
	// operands tells what its operands are.
	operands operands
	// first is how many operands come before those, such as grep's pattern;
	// an option of instead gives them in another way.
	first   int
	instead string
	// writes are options whose value is a file that it writes, reads those
	// whose value is a file that it reads, into those that name the directory that it writes to.
	writes, reads, into string
	// inPlace are options that make it write what it else reads.
	inPlace string
	// deep are options that make it touch all below a directory.
	deep string
	// runs are options whose value is run, or that run what is in the input.
	runs string
	// wraps says that it only runs what comes after it.
	wraps bool
	// do takes the place of all that.
	do func(w *walk, c command)
	// strip takes out the options before the verb.
	strip func(argv []string) []string
}

// modes are permissions that chmod and chattr take away, which look like options.
const modes = "-r -w -x -X -s -t -i -u"

// operands tells what the operands of a program are.
type operands int

const (
	plain  operands = iota // text, or names that touch nothing
	reads                  // files that it reads
	writes                 // files that it writes
	copies                 // files that it reads, and last the one that it writes
	moves                  // the same, and the first ones go away
)

// table has the programs that are known, once one was looked for: every verb
// of the binary links them, a hook's too, and most look for none.
var table struct {
	once sync.Once
	all  map[string]program
}

// programs are the programs that are known, by name.
func programs() map[string]program {
	table.once.Do(func() {
		table.all = map[string]program{}
		for names, p := range listed() {
			for name := range strings.FieldsSeq(names) {
				table.all[name] = p
			}
		}
		for names, do := range special() {
			for name := range strings.FieldsSeq(names) {
				p := table.all[name]
				p.do, p.wraps = do, strings.Contains(wrappers, " "+name+" ")
				table.all[name] = p
			}
		}
		p := table.all["git"]
		p.strip = gitVerb
		table.all["git"] = p
	})
	return table.all
}

// listed has many programs in a row where they are alike.
var listed = sync.OnceValue(func() map[string]program {
	return map[string]program{
		"echo true false : test [ pwd exit return break continue shift sleep wait date whoami id uname hostname which type hash " +
			"kill pkill killall ps basename dirname seq expr yes tty clear jobs fg bg umask ulimit getopts times local let getconf " +
			"logger uptime nproc arch free df groups users who last locale tput stty history help caller": {},
		"printf":                     {},
		"export readonly unset read": {}, // where they are not a declaration
		// Only where an option takes a value in every version of a program may it
		// be in values: what is taken for one is not looked at as a file.
		"cat tac rev wc md5sum sha1sum sha256sum sha512sum shasum cksum b2sum dir vdir cmp comm more realpath readlink zcat bzcat xzcat zless expand unexpand": {
			operands: reads, reads: "--files0-from -c --check",
		},
		"head":       {values: "-n -c --lines --bytes", operands: reads},
		"tail":       {values: "-n -c -s --lines --bytes --pid --sleep-interval", operands: reads},
		"less":       {values: "-p -P -t -T -k -j -x --pattern", operands: reads, writes: "-o -O --log-file --LOG-FILE", runs: "-k --lesskey-file"},
		"bat":        {values: "-l -r -H --language --line-range --theme --style --color", operands: reads, runs: "--pager"},
		"nl":         {values: "-b -d -f -h -i -l -n -s -v -w", operands: reads},
		"od":         {values: "-A -j -N -S -t", operands: reads},
		"xxd":        {values: "-c -g -l -o -s -n", operands: copies},
		"hexdump":    {values: "-n -s -e", operands: reads, reads: "-f"},
		"strings":    {values: "-n -e", operands: reads},
		"base64":     {values: "-w --wrap -b", operands: reads, reads: "-i --input", writes: "-o --output"},
		"file":       {values: "-F -m -P", operands: reads, reads: "-f --files-from"},
		"stat":       {values: "-c --format --printf", operands: reads},
		"ls eza exa": {values: "-I --ignore --hide --color --sort --time", operands: reads},
		"tree":       {values: "-L -P -I", operands: reads, writes: "-o"},
		"du":         {values: "-B -t --max-depth --exclude", operands: reads},
		"diff":       {values: "-U -W -I -F --label --color --exclude", operands: reads, reads: "--from-file --to-file --exclude-from", writes: "--output"},
		"paste":      {values: "-d --delimiters", operands: reads},
		"join":       {values: "-t -1 -2 -j -e -o -a -v", operands: reads},
		"column":     {values: "-s -c -o", operands: reads},
		"cut":        {values: "-d -f -c -b --delimiter --fields --bytes --characters --output-delimiter", operands: reads},
		"fold fmt":   {values: "-w --width", operands: reads},
		"iconv":      {values: "-f -t --from-code --to-code", operands: reads, writes: "-o --output"},
		"look":       {values: "-t", operands: reads, first: 1},
		"grep egrep fgrep zgrep": {
			values: "-e -f -m -A -B -C -D -d --regexp --file --max-count --include --exclude --exclude-dir --color --colour --context " +
				"--after-context --before-context",
			operands: reads, first: 1, instead: "-e -f --regexp --file", reads: "-f --file",
		},
		"rg ag ack": {
			values: "-e -f -m -A -B -C -g --regexp --file --max-count --color --glob -t -T --type --type-not --context " +
				"--after-context --before-context --pre-glob --max-depth -j --threads --iglob --replace --sort --sortr",
			operands: reads, first: 1, instead: "-e -f --regexp --file --files", reads: "-f --file", runs: "--pre",
		},
		"sort": {values: "-k -t -o -S -T --key --output --compress-program", operands: reads, writes: "-o --output", runs: "--compress-program"},
		"uniq": {values: "-f -s -w", operands: copies},
		"jq yq": {
			values: "--arg --argjson --slurpfile --rawfile --indent -f --from-file", operands: reads, first: 1,
			instead: "-f --from-file", reads: "-f --from-file --slurpfile --rawfile", inPlace: "-i --in-place --inplace",
		},
		"sed gsed": {values: "-e -f -l --expression --file --line-length", operands: reads, first: 1, instead: "-e -f --expression --file", inPlace: "-i -I --in-place"},
		"cp ditto": {
			values:   "-S --suffix",
			operands: copies, into: "-t --target-directory", deep: "-r -R -a --recursive --archive",
		},
		"install": {
			values:   "-m --mode -o --owner -g --group -S --suffix",
			operands: copies, into: "-t --target-directory", runs: "--strip-program",
		},
		"scp": {
			values:   "-P -l -c -o -J -D -X",
			operands: copies, reads: "-i -F", runs: "-S -o", deep: "-r",
		},
		"rsync": {
			values:   "-f -T -B -M --exclude --include --filter --suffix --temp-dir --chmod --bwlimit",
			operands: copies, runs: "-e --rsh --rsync-path", deep: "-r -a --recursive --archive --delete",
			reads: "--files-from --exclude-from --include-from --password-file --compare-dest --copy-dest", writes: "--log-file --backup-dir --partial-dir --link-dest",
		},
		"mv rename":                   {values: "-t --target-directory -S --suffix", operands: moves, into: "-t --target-directory"},
		"ln link":                     {values: "-t --target-directory -S --suffix", operands: writes, into: "-t --target-directory"},
		"rm rmdir unlink shred trash": {values: "-n --iterations -s --size", operands: writes, deep: "-r -R --recursive -d"},
		"touch":                       {values: "-d -t -r --date --reference", operands: writes},
		"mkdir mkfifo mknod":          {values: "-m --mode", operands: writes},
		"truncate":                    {values: "-s -r --size --reference", operands: writes},
		"fallocate":                   {values: "-l -o --length --offset", operands: writes},
		"tee sponge":                  {values: "--output-error", operands: writes},
		"chown chgrp":                 {values: "--reference --from", operands: writes, first: 1, instead: "--reference", deep: "-R --recursive"},
		"chmod chattr":                {values: "--reference", operands: writes, first: 1, instead: "--reference " + modes, deep: "-R --recursive"},
		"setfacl":                     {values: "-m -x --modify --remove", operands: writes, reads: "-M -X --modify-file --remove-file --restore", deep: "-R --recursive"},
		"setfattr xattr":              {values: "-n -v -x", operands: writes},
		"split":                       {values: "-l -b -n -a -C --lines --bytes --number --suffix-length", operands: copies, runs: "--filter"},
		"csplit":                      {values: "-b -n --suffix-format --digits", operands: reads, writes: "-f --prefix"},
		"gzip gunzip bzip2 bunzip2 xz unxz zstd unzstd lz4 compress uncompress": {values: "-o -S --suffix -T", operands: writes, writes: "-o"},
		"zip":                                    {values: "-b -n -t -x -i", operands: writes, runs: "-T -TT --unzip-command"},
		"patch":                                  {values: "-p -i -d -o -F -V --input --directory --output", operands: writes, writes: "-o --output", reads: "-i --input", into: "-d --directory"},
		"mktemp":                                 {values: "-p --suffix --tmpdir", operands: plain},
		"openssl gpg":                            {values: "", operands: plain, writes: "-out -o --output", reads: "-in -inkey", into: ""},
		"vim vi nvim nano emacs ed ex pico code": {values: "-c -S -u --cmd --eval -s", operands: writes, runs: "-c -S -u --cmd --eval -s"},
		"awk gawk mawk nawk":                     {values: "-F -v -f --assign --file", operands: reads, first: 1, instead: "-f --file", reads: "-f --file"},
		"printenv":                               {},
		"tar bsdtar":                             {values: "", operands: plain},
		"git":                                    {},
	}
})

// options are the options and operands of a command line, as far as they are known.
type options struct {
	values   map[string][]string // by option; an option without a value has none
	operands []string
}

// parse takes the arguments of a command apart. Short options that stand
// together are taken apart; takes lists those that have a value.
func parse(args []string, takes string) options {
	o := options{values: map[string][]string{}}
	valued := strings.Fields(takes)
	for i := 0; i < len(args); i++ {
		a := args[i]
		next := func() {
			if i+1 < len(args) {
				i++
				o.values[a] = append(o.values[a], args[i])
			}
		}
		switch {
		case a == "--":
			o.operands = append(o.operands, args[i+1:]...)
			return o
		case len(a) < 2 || a[0] != '-':
			o.operands = append(o.operands, a)
		case strings.HasPrefix(a, "--"):
			name, value, inline := strings.Cut(a, "=")
			o.note(name)
			if inline {
				o.values[name] = append(o.values[name], value)
			} else if slices.Contains(valued, name) {
				next()
			}
		case slices.Contains(valued, a):
			o.note(a)
			next()
		default:
			o.cluster(a, valued)
			if last := "-" + a[len(a)-1:]; len(a) > 2 && slices.Contains(valued, last) && len(o.values[last]) == 0 && i+1 < len(args) {
				i++
				o.values[last] = append(o.values[last], args[i])
			}
		}
	}
	return o
}

// note marks an option as given.
func (o options) note(name string) {
	if o.values[name] == nil {
		o.values[name] = []string{}
	}
}

// cluster takes "-abVALUE" apart. It is also noted whole, for the programs
// whose long options have one dash.
func (o options) cluster(a string, valued []string) {
	o.note(a)
	for k := 1; k < len(a); k++ {
		short := "-" + a[k:k+1]
		o.note(short)
		if slices.Contains(valued, short) {
			if k+1 < len(a) {
				o.values[short] = append(o.values[short], a[k+1:])
			}
			return
		}
	}
}

// has says that one of some options was given, and values what they were given.
func (o options) has(names string) bool {
	return slices.ContainsFunc(strings.Fields(names), func(n string) bool { return o.values[n] != nil })
}

func (o options) of(names string) []string {
	var out []string
	for n := range strings.FieldsSeq(names) {
		out = append(out, o.values[n]...)
	}
	return out
}

// files notes what a listed program touches.
func (w *walk) files(c command, p program) {
	o := parse(c.argv[1:], p.values+" "+p.writes+" "+p.reads+" "+p.into+" "+p.runs)
	if o.has(p.runs) && p.runs != "" {
		w.unclear("%s runs what an option names", c.base)
	}
	w.edit(c, o.of(p.writes)...)
	w.read(c, o.of(p.reads)...)
	into := o.of(p.into)
	w.edit(c, into...)
	list := o.operands
	if !o.has(p.instead) {
		list = list[min(p.first, len(list)):]
	}
	deep := o.has(p.deep)
	switch p.operands {
	case reads:
		if o.has(p.inPlace) {
			w.edit(c, list...)
		}
		w.read(c, list...)
	case writes:
		w.path(c, "edit", deep, list)
	case copies, moves:
		w.copied(c, p.operands == moves, deep, len(into) > 0, list)
	}
	w.others(c)
	if c.base == "patch" && len(o.operands) == 0 && !o.has("--dry-run") {
		w.edit(c, "./"+string(unknown)) // the patch names the files
	}
	if c.base == "printenv" {
		w.read(c, "/proc/self/environ")
	}
	if strings.HasSuffix(c.base, "sed") {
		w.sedScripts(c, o)
	}
	if strings.HasSuffix(c.base, "awk") {
		w.awkScripts(c, o)
	}
}

// copied notes the operands of cp and mv. What is written may also be a name
// in a directory that stands there.
func (w *walk) copied(c command, gone, deep, into bool, list []string) {
	n := len(list)
	if !into && n > 0 {
		n--
		target := list[n]
		if c.base == "scp" || c.base == "rsync" {
			if host, _, remote := strings.Cut(target, ":"); remote && !strings.Contains(host, "/") {
				w.host(c, host[strings.IndexByte(host, '@')+1:])
				target = ""
			}
		}
		if n == 0 && c.base == "uniq" {
			w.read(c, target) // one file is its input
			target = ""
		}
		if target != "" {
			w.path(c, "edit", deep, []string{target})
			for _, from := range list[:n] {
				name := from[strings.LastIndexByte(strings.TrimSuffix(from, "/"), '/')+1:]
				w.path(c, "edit", deep, []string{strings.TrimSuffix(target, "/") + "/" + name})
			}
		}
	}
	for _, from := range list[:n] {
		if host, _, remote := strings.Cut(from, ":"); remote && (c.base == "scp" || c.base == "rsync") && !strings.Contains(host, "/") {
			w.host(c, host[strings.IndexByte(host, '@')+1:])
			continue
		}
		if gone {
			w.editTree(c, from)
		}
		w.path(c, "read", deep, []string{from})
	}
}
