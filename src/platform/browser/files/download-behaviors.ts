import type { DownloadBehavior } from "./download-destinations.ts";

/** Key of the default context, which has several ids. */
export const DEFAULT_CONTEXT = "";

export class DownloadBehaviors<Client> {
  readonly #byContext = new Map<string, Map<Client, DownloadBehavior>>();

  set(client: Client, contextId: string, behavior: DownloadBehavior | undefined): void {
    const behaviors = this.#byContext.get(contextId) ?? new Map<Client, DownloadBehavior>();
    this.#byContext.set(contextId, behaviors);
    behaviors.delete(client);
    if (behavior !== undefined) behaviors.set(client, behavior);
  }

  remove(client: Client): string[] {
    return [...this.#byContext].filter(([, behaviors]) => behaviors.delete(client)).map(([id]) => id);
  }

  of(contextId: string): [Client, DownloadBehavior][] {
    return [...(this.#byContext.get(contextId) ?? [])];
  }

  isDenied(contextId: string): boolean {
    return this.of(contextId).at(-1)?.[1].kind === "deny";
  }
}
