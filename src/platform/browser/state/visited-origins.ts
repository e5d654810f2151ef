export const MAX_ORIGINS = 1000;

/** The origins that a browser has visited. No command lists the origins with stored data. */
export class VisitedOrigins {
  readonly #origins: Set<string>;
  readonly #onNew: (origin: string) => void;

  constructor(initial: Iterable<string>, onNew: (origin: string) => void) {
    this.#origins = new Set(initial);
    this.#onNew = onNew;
  }

  add(url: string): void {
    const origin = storageOrigin(url);
    if (origin === undefined || this.#origins.has(origin) || this.#origins.size >= MAX_ORIGINS) return;
    this.#origins.add(origin);
    this.#onNew(origin);
  }

  all(): string[] {
    return [...this.#origins];
  }
}

function storageOrigin(url: string): string | undefined {
  if (!URL.canParse(url)) return undefined;
  const { origin } = new URL(url);
  return /^https?:\/\//.test(origin) ? origin : undefined;
}
