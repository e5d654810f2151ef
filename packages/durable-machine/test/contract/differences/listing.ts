import type { KnownDifference } from "../known-difference.ts";

export const LISTING: readonly KnownDifference[] = [
  {
    reason: "ls prints one name per line, or all in one line with -m, but no columns.",
    cases: {
      "listing: ls -m and -x and -C in a pipe: ls -C": ["stdout"],
      "listing: ls -m and -x and -C in a pipe: ls -x": ["stdout"],
      "ls: options and errors: ls -C": ["stdout"],
      "ls: options and errors: ls -x": ["stdout"],
      "ls: options and errors: ls -C -w 20": ["stdout"],
      "ls: options and errors: ls -T 4 -C -w 30": ["stdout", "stderr", "exitCode"],
      "ls: options and errors: ls -m -w 20": ["stdout"],
    },
  },
  {
    reason:
      "ls does not quote names and has no -B, --hide, --format, --indicator-style, --author and --block-size.",
    cases: {
      "listing: ls -h and -s": ["stdout", "stderr", "exitCode"],
      "listing: ls of names to quote: ls -Q": ["stdout", "stderr", "exitCode"],
      "listing: ls of names to quote: ls --quoting-style=shell": ["stdout", "stderr", "exitCode"],
      "listing: ls of names to quote: ls -b": ["stdout", "stderr", "exitCode"],
      "listing: ls --group-directories-first and --hide: ls --hide='a'": ["stdout", "stderr", "exitCode"],
      "listing: ls --group-directories-first and --hide: ls -B": ["stdout", "stderr", "exitCode"],
      "ls: options and errors: ls -Q": ["stdout", "stderr", "exitCode"],
      "ls: options and errors: ls -B": ["stdout", "stderr", "exitCode"],
      'ls: options and errors: ls --hide="a*" -a': ["stdout", "stderr", "exitCode"],
      'ls: options and errors: ls --hide="a*"': ["stdout", "stderr", "exitCode"],
      "ls: options and errors: ls -b": ["stdout", "stderr", "exitCode"],
      "ls: options and errors: ls --indicator-style=slash": ["stdout", "stderr", "exitCode"],
      "ls: options and errors: ls --format=commas": ["stdout", "stderr", "exitCode"],
      "ls: options and errors: ls --quoting-style=shell": ["stdout", "stderr", "exitCode"],
      "ls: options and errors: ls --quoting-style=shell-escape-always d": ["stdout", "stderr", "exitCode"],
      'ls: what names its owners: ls -lQ "a b"': ["stdout", "stderr", "exitCode"],
      "ls: what names its owners: ls --author -l f": ["stdout", "stderr", "exitCode"],
      "ls: what names its owners: ls --format=long f": ["stdout", "stderr", "exitCode"],
      "ls: what names its owners: ls -l --block-size=K big": ["stdout", "stderr", "exitCode"],
    },
  },
  {
    reason: "ls does not sort by extension, and groups links to directories with the files.",
    cases: {
      "listing: ls by time and size": ["stdout", "stderr"],
      "ls: options and errors: ls -X": ["stdout", "stderr", "exitCode"],
      "ls: options and errors: ls --group-directories-first": ["stdout"],
    },
  },
  {
    reason: "The machine has no dir and vdir.",
    cases: {
      "ls: options and errors: dir": ["stdout", "stderr", "exitCode"],
      "ls: what names its owners: vdir d": ["stdout", "stderr", "exitCode"],
    },
  },
  {
    reason: "ls -l does not align files with directories of its command line.",
    cases: {
      "ls: what names its owners: ls -l f nope d": ["stdout"],
    },
  },
  {
    reason: "ls does not list valid arguments when it rejects one.",
    cases: {
      "ls: options and errors: ls --sort=foo": ["stderr"],
    },
  },
  {
    reason: "stat has no -f and -t, and its formats have no precision and no numeric escapes.",
    cases: {
      "listing: stat -t and -f": ["stdout", "stderr", "exitCode"],
      "stat: options and errors: stat -c '[%5s][%-5s][%05s][%10n][%.3n][%#a][%.3Y][%.0Y]%%\\n%q' f": [
        "stdout",
      ],
      "stat: options and errors: stat --printf='\\101\\x41\\\\\\n' f": ["stdout"],
      "stat: options and errors: stat -f -c %n f": ["stdout", "stderr", "exitCode"],
      "stat: options and errors: stat /dev/null -c %F,%t,%T,%A": ["stdout"],
    },
  },
  {
    reason: "The machine has no mkfifo, because nothing would be at the other end of the pipe.",
    cases: {
      "truncate: options and errors: mkfifo": ["stderr", "exitCode"],
    },
  },
  {
    reason: "truncate has only + and - as relative sizes and no -r.",
    cases: {
      "truncate: options and errors: truncate -s 1K -r a b": ["stderr"],
      "truncate: options and errors: truncate -r a b; wc -c b": ["stdout", "stderr", "tree"],
      "truncate: options and errors: truncate -s %4 b; wc -c b": ["stdout", "stderr", "tree"],
      "truncate: options and errors: truncate -s '<3' a; wc -c a": ["stdout", "stderr", "tree"],
      "truncate: options and errors: truncate -s '>30' a; wc -c a": ["stdout", "stderr", "tree"],
      "truncate: options and errors: truncate -s /3 a; wc -c a": ["stdout", "stderr", "tree"],
    },
  },
  {
    reason: "realpath has no --relative-base.",
    cases: {
      "links: options and errors: realpath --relative-base=. t1 /usr": ["stdout", "stderr", "exitCode"],
    },
  },
  {
    reason: "The formats of stat have no %B, %m, %t, %T, %w and %W.",
    cases: {
      "listing: stat of a file": ["stdout"],
      "stat: what names its owners: stat -c '%n|%N|%s|%a|%A|%f|%F|%h|%u|%U|%g|%G|%b|%B|%o|%m|%t|%T' f l d old dang 'a b' big":
        ["stdout"],
    },
  },
  {
    reason: "uname, whoami and nproc ignore operands.",
    cases: {
      "truncate: options and errors: uname q": ["stdout", "stderr", "exitCode"],
      "truncate: options and errors: whoami x": ["stdout", "stderr", "exitCode"],
      "truncate: options and errors: nproc x": ["stdout", "stderr", "exitCode"],
    },
  },
  {
    reason: "sync, id and mktemp reject less than GNU's, with other messages.",
    cases: {
      "mktemp: options and errors: mktemp -t /fooXXX": ["stdout", "stderr", "exitCode"],
      "mktemp: options and errors: mktemp --suffix=.txt foo": ["stderr"],
      "truncate: options and errors: sync nope": ["stderr", "exitCode"],
      "mktemp: options and errors: mktemp fooXXX.a/b": ["stderr"],
      "truncate: options and errors: id -n": ["stdout", "stderr", "exitCode"],
      "truncate: options and errors: id -ug": ["stdout", "stderr", "exitCode"],
    },
  },
];
