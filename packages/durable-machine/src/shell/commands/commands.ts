import type { Command } from "just-bash/browser";
import type { CommandEnvironment } from "../command-environment.ts";
import { chgrp, chmod, chown } from "./attributes.ts";
import { base64 } from "./base64.ts";
import { basename, dirname } from "./basename.ts";
import { cat } from "./cat.ts";
import { checksums } from "./checksums.ts";
import { cp, install, mv } from "./copying.ts";
import { curl } from "./curl.ts";
import { dd } from "./dd.ts";
import { cmp, diff } from "./diff.ts";
import { du } from "./du.ts";
import { head, tail } from "./head-tail.ts";
import { od, xxd } from "./hex-dumps.ts";
import { type MachineCommand, toShellCommand } from "./invocation.ts";
import { join } from "./join.ts";
import { kill, pgrep, pkill } from "./kill.ts";
import { cut, paste, shuf, tac, uniq } from "./line-commands.ts";
import { ln } from "./ln.ts";
import { ls } from "./ls.ts";
import { mkdir, rmdir } from "./make-directories.ts";
import { mktemp } from "./mktemp.ts";
import { ps } from "./ps.ts";
import { readlink, realpath } from "./realpath.ts";
import { rm } from "./rm.ts";
import { seq } from "./seq.ts";
import { sort } from "./sort.ts";
import { stat } from "./stat.ts";
import { df, groups, hostname, id, nproc, sync, uname, whoami } from "./system.ts";
import { tar } from "./tar/tar.ts";
import { touch } from "./touch.ts";
import { tr } from "./tr.ts";
import { truncate } from "./truncate.ts";
import { wc } from "./wc.ts";
import { wget } from "./wget.ts";
import { nohup, xargs } from "./xargs.ts";
import { yes } from "./yes.ts";
import { unzip } from "./zip/unzip.ts";
import { zip } from "./zip/zip.ts";

const COMMANDS: readonly MachineCommand[] = [
  [basename, dirname, mktemp, readlink, realpath],
  [cat, cut, head, join, paste, shuf, sort, tac, tail, tr, uniq, wc],
  [base64, cmp, dd, diff, od, tar, unzip, xxd, zip, ...checksums],
  [chgrp, chmod, chown, cp, install, ln, mkdir, mv, rm, rmdir, touch, truncate],
  [df, du, ls, stat, sync],
  [groups, hostname, id, nproc, uname, whoami],
  [kill, nohup, pgrep, pkill, ps, xargs],
  [curl, wget],
  [seq, yes],
].flat();

/** The names of the machine's own commands. */
export const commandNames: readonly string[] = COMMANDS.map(({ name }) => name);

/** The machine's own commands, beside the interpreter's or in their place, for one process. */
export function newCommands(environment: CommandEnvironment): Command[] {
  return COMMANDS.map((command) => toShellCommand(command, environment));
}
