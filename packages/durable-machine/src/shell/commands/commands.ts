import type { Command } from "just-bash/browser";
import type { CommandEnvironment } from "../command-environment.ts";
import { cat } from "./cat.ts";
import { checksums } from "./checksums.ts";
import { chmod } from "./chmod.ts";
import { chgrp, chown } from "./chown.ts";
import { cmp } from "./cmp.ts";
import { cp } from "./cp.ts";
import { curl } from "./curl.ts";
import { dd } from "./dd.ts";
import { df } from "./df.ts";
import { diff } from "./diff.ts";
import { pgrep, pkill } from "./find-processes.ts";
import { head, tail } from "./head-tail.ts";
import { od, xxd } from "./hex-dumps.ts";
import { groups, id, whoami } from "./identity.ts";
import { install } from "./install.ts";
import { type MachineCommand, toShellCommand } from "./invocation.ts";
import { kill } from "./kill.ts";
import { cut, paste, shuf, tac, uniq } from "./line-commands.ts";
import { ln } from "./ln.ts";
import { dir, ls, vdir } from "./ls.ts";
import { mkdir, rmdir } from "./make-directories.ts";
import { mktemp } from "./mktemp.ts";
import { mv } from "./mv.ts";
import { nohup } from "./nohup.ts";
import { ps } from "./ps.ts";
import { readlink, realpath } from "./realpath.ts";
import { rm } from "./rm.ts";
import { seq } from "./seq.ts";
import { sort } from "./sort.ts";
import { stat } from "./stat.ts";
import { hostname, nproc, sync, uname } from "./system.ts";
import { tar } from "./tar/tar.ts";
import { touch } from "./touch.ts";
import { tr } from "./tr.ts";
import { fallocate, truncate } from "./truncate.ts";
import { wc } from "./wc.ts";
import { wget } from "./wget.ts";
import { xargs } from "./xargs.ts";
import { yes } from "./yes.ts";

const COMMANDS: readonly MachineCommand[] = [
  cat,
  ...checksums,
  chgrp,
  chmod,
  chown,
  cmp,
  cp,
  curl,
  cut,
  dd,
  df,
  diff,
  dir,
  fallocate,
  groups,
  head,
  hostname,
  id,
  install,
  kill,
  ln,
  ls,
  mkdir,
  mktemp,
  mv,
  nohup,
  nproc,
  od,
  paste,
  pgrep,
  pkill,
  ps,
  readlink,
  realpath,
  rm,
  rmdir,
  seq,
  shuf,
  sort,
  stat,
  sync,
  tac,
  tail,
  tar,
  touch,
  tr,
  truncate,
  uname,
  uniq,
  vdir,
  wc,
  wget,
  whoami,
  xargs,
  xxd,
  yes,
];

/** The names of the machine's own commands. */
export const commandNames: readonly string[] = COMMANDS.map(({ name }) => name);

/** The machine's own commands, beside the interpreter's or in their place, for one process. */
export function newCommands(environment: CommandEnvironment): Command[] {
  return COMMANDS.map((command) => toShellCommand(command, environment));
}
