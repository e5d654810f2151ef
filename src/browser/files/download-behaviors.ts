import type { DownloadBehavior } from "./download-places.ts";

/** The id of the browser's default context, in the place of the several that it goes by. */
export const DEFAULT_CONTEXT = "";

/** What the clients of a browser want to become of downloads, in each of its contexts. */
export class DownloadBehaviors<Client> {
  readonly #byContext = new Map<string, Map<Client, DownloadBehavior>>();

  /** @param behavior undefined when the client has no wish any more. */
  set(client: Client, contextId: string, behavior: DownloadBehavior | undefined): void {
    const behaviors = this.#byContext.get(contextId) ?? new Map<Client, DownloadBehavior>();
    this.#byContext.set(contextId, behaviors);
    behaviors.delete(client);
    if (behavior !== undefined) behaviors.set(client, behavior);
  }

  /** Forgets a client that has left. @returns the contexts that it had a wish for. */
  remove(client: Client): string[] {
    return [...this.#byContext].filter(([, behaviors]) => behaviors.delete(client)).map(([id]) => id);
  }

  /** In the order in which they were set. */
  of(contextId: string): [Client, DownloadBehavior][] {
    return [...(this.#byContext.get(contextId) ?? [])];
  }

  /** Whether the wish that was set last is to have no downloads. */
  isDenied(contextId: string): boolean {
    return this.of(contextId).at(-1)?.[1].kind === "deny";
  }
}
