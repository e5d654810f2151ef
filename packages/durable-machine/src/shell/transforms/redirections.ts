import type { Redirection } from "../just-bash.ts";
import { constantText, literal, redirection } from "./ast.ts";
import { DESCRIPTORS } from "./names.ts";

const { stdout, stderr, subshell } = DESCRIPTORS;

const ROUTE_STDERR = redirection(2, ">&", stderr);
const ROUTES: readonly Redirection[] = [redirection(1, ">&", stdout), ROUTE_STDERR];

export const TO_INTERPRETER: Redirection = redirection(stdout, ">&", 1);
export const ERRORS_TO_OUTPUT: Redirection = redirection(stderr, ">&", stdout);
export const IN_SUBSHELL: Redirection = redirection(subshell, ">&", 1);

/**
 * The redirections of a command whose output goes to the descriptors of its context.
 *
 * just-bash does not apply the redirections of a compound command or function to the commands inside it,
 * except those of descriptors above 2.
 */
export function routed(redirections: readonly Redirection[]): Redirection[] {
  // The first one is for the message about a file that cannot be opened.
  return redirections.length === 0
    ? [...ROUTES]
    : [ROUTE_STDERR, ...redirections.flatMap(moveOutput), ...ROUTES];
}

function descriptorOf({ operator, fd }: Redirection): number {
  return fd ?? (operator.startsWith("<") ? 0 : 1);
}

export function redirectsInput(redirections: readonly Redirection[]): boolean {
  return redirections.some((item) => !item.fdVariable && descriptorOf(item) === 0);
}

/** Whether standard input is a file, not a pipe, a text or a device. */
export function readsFile(redirections: readonly Redirection[]): boolean {
  const input = redirections.findLast((item) => redirectsInput([item]));
  if (input?.operator !== "<" || input.target.type !== "Word") return false;
  return !(constantText(input.target) ?? "").startsWith("/dev/");
}

export function moveOutput(item: Redirection): Redirection[] {
  const { operator, target } = item;
  const isOwn = item.fd !== null && item.fd >= stdout;
  if (target.type !== "Word" || isOwn) return [item];
  const text = constantText(target);
  const sendsBoth =
    operator.startsWith("&>") ||
    (operator === ">&" && item.fd === null && text !== undefined && !/^\d*-?$/.test(text));
  if (sendsBoth) return [redirection(stdout, operator === "&>>" ? ">>" : ">", target), ERRORS_TO_OUTPUT];
  const standard = item.fdVariable ? undefined : standInFor(descriptorOf(item));
  const fd = standard ?? item.fd;
  const [, stream] = /^\/dev\/std(out|err)$/.exec(text ?? "") ?? [];
  if (stream && operator.startsWith(">")) {
    return [{ ...item, fd, operator: ">&", target: literal(String(stream === "out" ? stdout : stderr)) }];
  }
  if (operator !== ">&" && operator !== "<&") return [{ ...item, fd }];
  // Commands that write to a closed stream fail; here, its output is lost.
  if (standard !== undefined && text === "-") return [redirection(fd, ">", "/dev/null")];
  const source = standInFor(Number(text ?? Number.NaN));
  return [{ ...item, fd, target: source === undefined ? target : literal(String(source)) }];
}

function standInFor(descriptor: number): number | undefined {
  if (descriptor === 1) return stdout;
  return descriptor === 2 ? stderr : undefined;
}
