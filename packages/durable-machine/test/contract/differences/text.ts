import type { KnownDifference } from "../known-difference.ts";

export const TEXT: readonly KnownDifference[] = [
  {
    reason:
      "sort has fewer comparisons, compares numbers with limited precision, accepts incompatible options, and has shorter messages.",
    cases: {
      "sort: options and errors: sort -n l": ["stdout"],
      "sort: options and errors: sort -nr l": ["stdout"],
      "sort: options and errors: sort -V v": ["stdout"],
      "sort: options and errors: sort -g g": ["stdout"],
      "sort: options and errors: sort --check=quiet w": ["stderr", "exitCode"],
      "sort: options and errors: sort -t '' w": ["stderr"],
      "sort: options and errors: sort -M m": ["stdout", "stderr", "exitCode"],
      "sort: options and errors: sort -i u": ["stdout", "stderr", "exitCode"],
      "sort: options and errors: sort -m t w": ["stdout"],
      "sort: options and errors: sort -um t t": ["stdout"],
      "sort: options and errors: sort -kx w": ["stderr"],
      "sort: options and errors: sort -t a -t b w": ["stdout", "stderr", "exitCode"],
      "sort: options and errors: sort -nh w": ["stdout", "stderr", "exitCode"],
      "sort: options and errors: sort -k1nM w": ["stderr"],
      "sort: options and errors: sort -dn w": ["stdout", "stderr", "exitCode"],
      "sort: options and errors: sort -c w n": ["stderr", "exitCode"],
      "sort: options and errors: sort --sort=numeric n": ["stdout", "stderr", "exitCode"],
      "text-commands: sort flags: printf 'mar\\njan\\nfeb\\n' | sort -M": ["stdout", "stderr", "exitCode"],
      "sort: options and errors: sort -o d w": ["stderr"],
      "sort: options and errors: sort -o no/x w": ["stderr"],
      "sort: options and errors: sort -k0 w": ["stderr"],
      "sort: options and errors: sort -k1.0 w": ["stderr"],
      "sort: options and errors: sort -k1,0 w": ["stderr"],
      "sort: options and errors: sort -k1x w": ["stderr"],
    },
  },
  {
    reason:
      "seq has no %e, %a and flags + and - in formats, prints large numbers in full, and counts up to 2^53.",
    cases: {
      "seq: options and errors: seq -f '%e' 2": ["stdout", "stderr", "exitCode"],
      "seq: options and errors: seq -f '%-5g|' 2": ["stdout", "stderr", "exitCode"],
      "seq: options and errors: seq -f '%+g' -1 1": ["stdout", "stderr", "exitCode"],
      "seq: options and errors: seq -f %g 1000000 1000000": ["stdout"],
      "seq: options and errors: seq -f %g 999999 1000001": ["stdout"],
      "seq: options and errors: seq -f %d 3": ["stderr"],
      "seq: options and errors: seq -f x 3": ["stderr"],
      "seq: options and errors: seq -f %g%g 3": ["stderr"],
      "seq: options and errors: seq -f % 3": ["stderr"],
      "seq: options and errors: seq -w -f %g 3": ["stdout", "stderr", "exitCode"],
      "seq: options and errors: seq -0 2": ["stdout"],
      "seq: options and errors: seq -0.0 1": ["stdout"],
      "seq: options and errors: seq 99999999999999999998 100000000000000000001": ["stdout"],
      "seq: options and errors: seq 9007199254740992 9007199254740994": ["stdout"],
      "seq: options and errors: seq 1 -inf": ["stderr", "exitCode"],
    },
  },
  {
    reason: "tr accepts sets and operands that GNU's rejects, and has no [c*] before other characters.",
    cases: {
      "tr: options and errors: tr -d a b < f": ["stdout", "stderr", "exitCode"],
      "tr: options and errors: tr a '[:digit:]' < f": ["stdout", "stderr", "exitCode"],
      "tr: options and errors: tr a '[:upper:]' < f": ["stdout", "stderr", "exitCode"],
      "tr: options and errors: tr '[:digit:]' '[:upper:]' < f": ["stdout", "stderr", "exitCode"],
      "tr: options and errors: tr -c '[:alpha:]' 'ab' < f": ["stdout", "stderr", "exitCode"],
      "tr: options and errors: tr ab '[x*][y*]' < f": ["stdout", "stderr", "exitCode"],
      "tr: options and errors: tr '[=ab=]' x < f": ["stdout", "stderr", "exitCode"],
      "tr: options and errors: tr ab '[x*y]' < f": ["stdout", "stderr", "exitCode"],
      "tr: options and errors: tr 'a\\' 'xy' < f": ["stderr"],
      "tr: options and errors: tr 'elo' '[x*]y' < f": ["stdout"],
    },
  },
  {
    reason: "cut inserts --output-delimiter between single bytes and has other messages.",
    cases: {
      "cut: options and errors: cut -c1-2,4 --output-delimiter=_ f": ["stdout"],
      "cut: options and errors: cut -c1-2,3-4 --output-delimiter=_ f": ["stdout"],
      "cut: options and errors: cut -f0 f": ["stderr"],
      "cut: options and errors: cut -c0 f": ["stderr"],
      "cut: options and errors: cut -f1x f": ["stderr"],
      "cut: options and errors: cut -d: -c1 f": ["stdout", "stderr", "exitCode"],
      "cut: options and errors: cut -s -c1 f": ["stdout", "stderr", "exitCode"],
      "cut: options and errors: cut -f '' f": ["stderr"],
      "text-commands: cut: cut -d, -f0 table.csv; echo $?": ["stderr"],
      "cut: options and errors: cut -fx f": ["stderr"],
      "cut: options and errors: cut -cx f": ["stderr"],
      "cut: options and errors: cut -f- f": ["stderr"],
    },
  },
  {
    reason: "paste stops at the first unreadable file and accepts a trailing backslash in its delimiters.",
    cases: {
      "paste: options and errors: paste -s nope f": ["stdout"],
      "paste: options and errors: paste -d '\\' f g": ["stdout", "stderr", "exitCode"],
    },
  },
  {
    reason: "tac has no -b and other messages.",
    cases: {
      "tac: options and errors: tac -b f": ["stdout", "stderr", "exitCode"],
      "tac: options and errors: tac -b -s b e": ["stdout", "stderr", "exitCode"],
      "tac: options and errors: tac nope f": ["stderr"],
    },
  },
  {
    reason: "uniq has no --group and --all-repeated, and other messages.",
    cases: {
      "uniq: options and errors: uniq -Du f": ["stdout"],
      "uniq: options and errors: uniq --all-repeated=prepend f": ["stdout", "stderr", "exitCode"],
      "uniq: options and errors: uniq --all-repeated=separate f": ["stdout", "stderr", "exitCode"],
      "uniq: options and errors: uniq --group f": ["stdout", "stderr", "exitCode"],
      "uniq: options and errors: uniq --group=both f": ["stdout", "stderr", "exitCode"],
      "uniq: options and errors: uniq --group=append f": ["stdout", "stderr", "exitCode"],
      "uniq: options and errors: uniq --group=prepend f": ["stdout", "stderr", "exitCode"],
      "uniq: options and errors: uniq d": ["stderr"],
      "uniq: options and errors: uniq -cD f": ["stdout", "stderr", "exitCode"],
    },
  },
  {
    reason: "The machine has no cksum.",
    cases: {
      "data-commands: cksum: cksum f": ["stdout", "stderr", "exitCode"],
      "data-commands: cksum: cksum < f": ["stdout", "stderr", "exitCode"],
      "sums: options and errors: cksum f g": ["stdout", "stderr", "exitCode"],
      "sums: options and errors: echo -n | cksum": ["stdout", "stderr", "exitCode"],
      "sums: options and errors: cksum < f": ["stdout", "stderr", "exitCode"],
      "sums: options and errors: cksum nope": ["stderr", "exitCode"],
      "sums: options and errors: head -c 300000 /dev/zero | cksum": ["stdout", "stderr", "exitCode"],
    },
  },
  {
    reason: "Checksum tools have no --tag and -z and do not escape names.",
    cases: {
      "data-commands: checking checksums": ["stdout", "stderr"],
      "sums: options and errors: md5sum --tag f": ["stdout", "stderr", "exitCode"],
      "sums: options and errors: md5sum --tag f | md5sum -c": ["stdout", "stderr", "exitCode"],
      "sums: options and errors: md5sum --quiet f": ["stdout", "stderr", "exitCode"],
      "sums: options and errors, with xxd: md5sum -z f | xxd": ["stdout", "stderr"],
      "sums: options and errors: md5sum 'n\\l'": ["stdout"],
    },
  },
  {
    reason:
      "xargs has no -E, runs nothing with an unclosed quote, and does not warn about incompatible options.",
    cases: {
      "xargs: options and errors: printf 'a\\n\"b' | xargs": ["stdout"],
      "xargs: options and errors: printf 'a\\nEOF\\nb' | xargs -E EOF": ["stdout", "stderr", "exitCode"],
      "xargs: options and errors: seq 3 | xargs -n1 -I{} echo {}": ["stderr"],
    },
  },
  {
    reason: "shuf ignores operands that it does not use.",
    cases: {
      "truncate: options and errors: shuf a b": ["stdout", "stderr", "exitCode"],
    },
  },
  {
    reason: "cmp has none of -i, -l and -n.",
    cases: {
      "cmp: options and errors: cmp -l a b": ["stdout", "stderr", "exitCode"],
      "cmp: options and errors: cmp -l a c": ["stderr", "exitCode"],
      "text-commands: cmp": ["stdout", "stderr"],
      "cmp: options and errors: cmp -n 2 a b": ["stderr", "exitCode"],
      "cmp: options and errors: cmp --bytes=x a b": ["stderr"],
      "cmp: options and errors: cmp -i 2 a b": ["stdout", "stderr", "exitCode"],
      "cmp: options and errors: cmp -i 1:2 a b": ["stdout", "stderr", "exitCode"],
      "cmp: options and errors: cmp a b 1 1": ["stdout", "stderr", "exitCode"],
    },
  },
  {
    reason: "od accepts a single file.",
    cases: {
      "od: options and errors: od nofile f": ["stdout", "stderr"],
      "od: options and errors: od -An -c f f": ["stdout", "stderr", "exitCode"],
    },
  },
  {
    reason: "xxd -r ignores offsets, and rows may have more than 256 columns.",
    cases: {
      "xxd: options and errors: xxd -c 300 s": ["stdout", "stderr", "exitCode"],
      "xxd: options and errors: xxd -r r | xxd": ["stdout"],
    },
  },
  {
    reason: "wc prints no line for a directory.",
    cases: {
      "text-commands: a directory as input: wc d; echo $?": ["stdout"],
      "text: options and errors: wc d f": ["stdout"],
      "text: options and errors: wc -l d": ["stdout"],
    },
  },
  {
    reason: "head and tail cannot open a directory.",
    cases: {
      "text: options and errors: head -n 1 d nope f": ["stdout", "stderr"],
      "text: options and errors: tail -n 1 d nope f": ["stdout", "stderr"],
      "text-commands: a directory as input: head d; echo $?": ["stderr"],
      "text-commands: a directory as input: tail d; echo $?": ["stderr"],
    },
  },
  {
    reason: "The message for an ambiguous option does not name the candidates.",
    cases: { "text: options and errors: cat --show f": ["stderr"] },
  },
];
