import type { Redirection, WordNode } from "../just-bash.ts";
import { constantText, literal, redirection } from "./ast.ts";
import { DESCRIPTORS } from "./names.ts";

export interface ChangedStreams {
  stdin: boolean;
  stdout: boolean;
  stderr: boolean;
}

/** `>&word` and `&>word` send both streams to a file. */
function isBoth({ operator, fd, target }: Redirection): boolean {
  if (operator === "&>" || operator === "&>>") return true;
  if (operator !== ">&" || fd !== null || target.type !== "Word") return false;
  const text = constantText(target);
  return text !== undefined && !/^\d*-?$/.test(text);
}

function descriptorOf({ operator, fd }: Redirection): number {
  return fd ?? (operator.startsWith("<") ? 0 : 1);
}

export function changedStreams(redirections: readonly Redirection[]): ChangedStreams {
  const changed = { stdin: false, stdout: false, stderr: false };
  for (const item of redirections) {
    if (item.fdVariable) continue;
    const both = isBoth(item);
    const descriptor = descriptorOf(item);
    if (!both && descriptor === 0) changed.stdin = true;
    if (both || descriptor === 1) changed.stdout = true;
    if (both || descriptor === 2) changed.stderr = true;
  }
  return changed;
}

/** The descriptors that stand for the standard streams while redirections are carried out. */
export interface StreamNames {
  stdout: number;
  stderr: number;
}

/**
 * The same redirections for other descriptors than 1 and 2.
 *
 * @param current what the two are before, as words that expand to a descriptor's number.
 */
export function moveRedirections(
  redirections: readonly Redirection[],
  names: StreamNames,
  current: { stdout: WordNode; stderr: WordNode },
): Redirection[] {
  const changed = changedStreams(redirections);
  const moved: Redirection[] = [];
  if (changed.stdout) moved.push(redirection(names.stdout, ">&", current.stdout));
  if (changed.stderr) moved.push(redirection(names.stderr, ">&", current.stderr));
  const nameOf = (descriptor: number) => (descriptor === 1 ? names.stdout : names.stderr);
  const source = (target: WordNode): WordNode => {
    const text = constantText(target);
    if (text === "1") return changed.stdout ? literal(String(names.stdout)) : current.stdout;
    if (text === "2") return changed.stderr ? literal(String(names.stderr)) : current.stderr;
    return target;
  };
  for (const item of redirections) {
    if (item.target.type !== "Word") {
      moved.push(item);
    } else if (isBoth(item)) {
      const operator = item.operator === "&>>" ? ">>" : ">";
      moved.push(redirection(names.stdout, operator, item.target));
      moved.push(redirection(names.stderr, ">&", names.stdout));
    } else {
      moved.push(...moveOne(item, item.target, nameOf, source));
    }
  }
  return moved;
}

/** Opening one of these is duplicating the descriptor that it stands for. */
const STREAM_FILES: ReadonlyMap<string, number> = new Map([
  ["/dev/stdout", 1],
  ["/dev/fd/1", 1],
  ["/dev/stderr", 2],
  ["/dev/fd/2", 2],
]);

const OUTPUT_OPERATORS: ReadonlySet<Redirection["operator"]> = new Set([">", ">>", ">|"]);

function moveOne(
  item: Redirection,
  target: WordNode,
  nameOf: (descriptor: number) => number,
  source: (target: WordNode) => WordNode,
): Redirection[] {
  const isDuplication = item.operator === ">&" || item.operator === "<&";
  const descriptor = descriptorOf(item);
  const fd = !item.fdVariable && (descriptor === 1 || descriptor === 2) ? nameOf(descriptor) : item.fd;
  const stream = STREAM_FILES.get(constantText(target) ?? "");
  if (stream !== undefined && OUTPUT_OPERATORS.has(item.operator)) {
    return [{ ...item, fd: fd ?? 1, operator: ">&", target: source(literal(String(stream))) }];
  }
  // What writes to a closed stream fails; that it would is not worth failing before.
  if (isDuplication && fd !== item.fd && constantText(target) === "-") {
    return [redirection(fd, ">", "/dev/null")];
  }
  return [{ ...item, fd, target: isDuplication ? source(target) : target }];
}

export function routeTo(stdout: WordNode | undefined, stderr: WordNode | undefined): Redirection[] {
  const routes: Redirection[] = [];
  if (stdout) routes.push(redirection(1, ">&", stdout));
  if (stderr) routes.push(redirection(2, ">&", stderr));
  return routes;
}

export const SCOPE_STREAMS: StreamNames = {
  stdout: DESCRIPTORS.scopeStdout,
  stderr: DESCRIPTORS.scopeStderr,
};

export const EXEC_STREAMS: StreamNames = {
  stdout: DESCRIPTORS.execStdout,
  stderr: DESCRIPTORS.execStderr,
};
