import { FileError } from "../../file-system/file-error.ts";
import type { FileStatus } from "../../file-system/file-system.ts";
import { errorText, unlessRefused } from "./error-text.ts";
import type { Invocation } from "./invocation.ts";
import { type ParsedOptions, UsageError } from "./options.ts";
import { quoteName, quoteWord } from "./quoting.ts";

/** A file and where it goes. */
export interface Placement {
  source: string;
  destination: string;
}

/** The last part of a path, as basename(1) gives it. */
export function baseName(path: string): string {
  const trimmed = path.replace(/\/+$/, "");
  return trimmed === "" && path !== "" ? "/" : trimmed.slice(trimmed.lastIndexOf("/") + 1);
}

/** All but the last part of a path. */
export function directoryName(path: string): string {
  const trimmed = path.replace(/\/+$/, "");
  const slash = trimmed.lastIndexOf("/");
  if (slash === -1) return ".";
  return trimmed.slice(0, slash).replace(/\/+$/, "") || "/";
}

export function join(directory: string, name: string): string {
  return directory.endsWith("/") ? directory + name : `${directory}/${name}`;
}

/** Refusals that say nothing more than that nothing can be seen there. */
const UNSEEN = ["ENOENT", "ENOTDIR", "EACCES", "ELOOP", "ENAMETOOLONG"] as const;

/** What is at a path, symlinks followed or not; undefined: nothing that can be seen. */
export function statusOf(
  invocation: Invocation,
  operand: string,
  options: { followSymlink?: boolean } = {},
): FileStatus | undefined {
  return unlessRefused(UNSEEN, () =>
    invocation.files.status(invocation.path(operand), invocation.credentials, options),
  );
}

export function isDirectory(invocation: Invocation, operand: string): boolean {
  return statusOf(invocation, operand)?.type === "directory";
}

function requireDirectory(invocation: Invocation, operand: string, what: string): void {
  try {
    const { type } = invocation.files.status(invocation.path(operand), invocation.credentials);
    if (type !== "directory") throw new FileError("ENOTDIR", "open", operand);
  } catch (error) {
    invocation.fail(`${what} ${quoteName(operand)}: ${errorText(error)}`);
  }
}

/** What goes into a directory. The same name twice would only be overwritten. */
function intoDirectory(sources: readonly string[], directory: string): Placement[] {
  return sources.map((source) => ({ source, destination: join(directory, baseName(source)) }));
}

/**
 * Reads the operands of `cp`, `mv`, `install` and `ln`: `SOURCE DESTINATION`, `SOURCE... DIRECTORY`,
 * `-t DIRECTORY SOURCE...`, and with `-T` never into a directory.
 *
 * @param options.entersDirectory whether a last operand that is a directory is what the others go into.
 * @throws UsageError, CommandExit
 */
export function readPlacements(
  invocation: Invocation,
  options: ParsedOptions,
  entersDirectory: (operand: string) => boolean = (operand) => isDirectory(invocation, operand),
): Placement[] {
  const { operands } = options;
  const target = options.value("t");
  const [first, second, third] = operands;
  if (first === undefined) throw new UsageError("missing file operand");
  if (target !== undefined) {
    requireDirectory(invocation, target, "target directory");
    return intoDirectory(operands, target);
  }
  if (second === undefined)
    throw new UsageError(`missing destination file operand after ${quoteName(first)}`);
  if (options.has("T")) {
    if (third !== undefined) throw new UsageError(`extra operand ${quoteWord(third)}`);
    return [{ source: first, destination: second }];
  }
  const last = operands.at(-1) ?? second;
  if (operands.length === 2 && !entersDirectory(last)) return [{ source: first, destination: last }];
  if (operands.length > 2) requireDirectory(invocation, last, "target");
  return intoDirectory(operands.slice(0, -1), last);
}

/** Leaves out what would overwrite what the same command has just put there. */
export function* withoutRepeated(
  invocation: Invocation,
  placements: readonly Placement[],
): Generator<Placement> {
  const taken = new Map<string, number | undefined>();
  for (const placement of placements) {
    const { source, destination } = placement;
    const inode = statusOf(invocation, source, { followSymlink: false })?.inode;
    if (inode !== undefined && taken.has(destination)) {
      if (taken.get(destination) === inode) {
        invocation.say(
          `${invocation.name}: warning: source file ${quoteName(source)} specified more than once\n`,
        );
      } else {
        const names = `${quoteName(destination)} with ${quoteName(source)}`;
        invocation.complain(`will not overwrite just-created ${names}`);
      }
      continue;
    }
    taken.set(destination, inode);
    yield placement;
  }
}
