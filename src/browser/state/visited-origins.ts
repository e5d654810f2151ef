/** A browser's state is collected of no more. */
export const MAX_ORIGINS = 1000;

/** The origins that a browser's pages have been of: no command tells which of them keep something. */
export class VisitedOrigins {
  readonly #origins: Set<string>;
  readonly #onNew: (origin: string) => void;

  /** @param onNew is called with each origin that is not among the initial ones, once. */
  constructor(initial: Iterable<string>, onNew: (origin: string) => void) {
    this.#origins = new Set(initial);
    this.#onNew = onNew;
  }

  /** A page, frame or worker is at an address. */
  add(url: string): void {
    const origin = storageOrigin(url);
    if (origin === undefined || this.#origins.has(origin) || this.#origins.size >= MAX_ORIGINS) return;
    this.#origins.add(origin);
    this.#onNew(origin);
  }

  /** In the order in which they were visited. */
  all(): string[] {
    return [...this.#origins];
  }
}

/** The origin of an address, if browsers keep something for it. */
function storageOrigin(url: string): string | undefined {
  if (!URL.canParse(url)) return undefined;
  // Of a blob's address it is the one that made it.
  const { origin } = new URL(url);
  return /^https?:\/\//.test(origin) ? origin : undefined;
}
