import { matchesGlob } from "../glob.ts";

/**
 * A member's name without what would lead out of where it is to be: a slash in front, and all up to the last `..`.
 *
 * @returns what is taken away, too.
 */
export function safeName(name: string): { prefix: string; rest: string } {
  let end = 0;
  for (const match of name.matchAll(/(?:^|\/)\.\.(?=\/|$)/g)) end = match.index + match[0].length;
  while (name[end] === "/") end++;
  return { prefix: name.slice(0, end), rest: name.slice(end) };
}

/** Whether a pattern matches a name from some part of it on, up to the end of some part. */
export function isExcluded(name: string, patterns: readonly string[]): boolean {
  if (patterns.length === 0) return false;
  const parts = name.replace(/\/+$/, "").split("/");
  return parts.some((_, first) =>
    parts.slice(first).some((__, count) => {
      const piece = parts.slice(first, first + count + 1).join("/");
      return patterns.some((pattern) => matchesGlob(piece, pattern));
    }),
  );
}

/** A name without its first parts; undefined: nothing is left. */
export function stripParts(name: string, count: number): string | undefined {
  const isDirectory = name.endsWith("/");
  const parts = name.split("/").filter((part) => part !== "");
  if (parts.length <= count) return count === 0 ? name : undefined;
  return parts.slice(count).join("/") + (isDirectory ? "/" : "");
}

/** Which members are asked for. Remembers which wishes have found something. */
export class MemberSelection {
  readonly #wishes: readonly string[];
  readonly #wildcards: boolean;
  readonly #found = new Set<string>();

  constructor(wishes: readonly string[], wildcards: boolean) {
    this.#wishes = wishes;
    this.#wildcards = wildcards;
  }

  /** Whether a member, or a directory that it is in, is asked for. */
  includes(name: string): boolean {
    if (this.#wishes.length === 0) return true;
    const matching = this.#wishes.filter((wish) =>
      this.#matches(name.replace(/\/+$/, ""), wish.replace(/\/+$/, "")),
    );
    for (const wish of matching) this.#found.add(wish);
    return matching.length > 0;
  }

  /** What has been asked for in vain. */
  get missing(): string[] {
    return this.#wishes.filter((wish) => !this.#found.has(wish));
  }

  #matches(name: string, wish: string): boolean {
    if (name === wish || name.startsWith(`${wish}/`)) return true;
    return this.#wildcards && matchesGlob(name, wish);
  }
}
