import type { TarHeader } from "modern-tar";
import { formatTime } from "../format-time.ts";
import { matchesGlob } from "../glob.ts";
import type { Invocation } from "../invocation.ts";
import { formatPermissions } from "../modes.ts";

const OWNER_AND_SIZE_WIDTH = 18;

const TYPE_LETTERS: Readonly<Record<string, string>> = { directory: "d", symlink: "l", link: "h" };

/** Splits a name after leading slashes and its last `..`: the rest stays in the directory it is placed in. */
export function safeName(name: string): { prefix: string; rest: string } {
  const [prefix = ""] = /^(?:.*(?:^|\/)\.\.(?=\/|$))?\/*/s.exec(name) ?? [];
  return { prefix, rest: name.slice(prefix.length) };
}

/** Makes names safe, and warns once about each removed prefix. */
export function newNameGuard(invocation: Invocation): (name: string) => string {
  const warned = new Set([""]);
  return (name) => {
    const { prefix, rest } = safeName(name);
    if (!warned.has(prefix)) invocation.warn(`Removing leading \`${prefix}' from member names`);
    warned.add(prefix);
    return rest;
  };
}

/** Whether a pattern matches a name or a directory above it, from their beginning or from behind a slash. */
export function isExcluded(name: string, patterns: readonly string[]): boolean {
  if (patterns.length === 0) return false;
  const parts = name.replace(/(?<!\/)\/+$/, "").split("/");
  return parts.some((_, index) => {
    const end = parts.slice(index).join("/");
    return patterns.some((pattern) => matchesGlob(end, pattern) || matchesGlob(end, `${pattern}/*`));
  });
}

/** A name without its first parts, of which `.` is one; undefined if nothing is left. */
export function stripParts(name: string, count: number): string | undefined {
  const parts = name.split("/").filter((part) => part !== "");
  const rest = parts.slice(count).filter((part) => part !== ".");
  return rest.length === 0 ? undefined : rest.join("/");
}

export function describeMember(header: TarHeader, isNumeric = false): string {
  const { name, type = "file", size, mode = 0, mtime, linkname = "" } = header;
  const user = (isNumeric ? "" : header.uname) || String(header.uid ?? 0);
  const group = (isNumeric ? "" : header.gname) || String(header.gid ?? 0);
  const owner = `${user}/${group}`;
  const columns = String(size).padStart(OWNER_AND_SIZE_WIDTH - owner.length);
  const time = formatTime(mtime?.getTime() ?? 0, "%Y-%m-%d %H:%M");
  const target = type === "symlink" ? ` -> ${linkname}` : type === "link" ? ` link to ${linkname}` : "";
  return `${TYPE_LETTERS[type] ?? "-"}${formatPermissions(mode)} ${owner} ${columns} ${time} ${name}${target}`;
}
