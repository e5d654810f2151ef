import { z } from "zod";
import { logError } from "../../../lib/common/log.ts";
import { type StorageMessage, WORLD_HOOK } from "../../page-scripts/extension-protocol.ts";
import { type CDPSession, CDPSessionEvent } from "../connection/puppeteer.ts";
import type { BrowserExtension, ExtensionStorage } from "./browser-extension.ts";
import { ExtensionStorageError, StorageAreas, storageRequestSchema } from "./extension-storage-areas.ts";
import { extensionWorld, hasUnlimitedStorage, storageBinding } from "./extension-world.ts";

const callSchema = z.object({ id: z.number() }).and(storageRequestSchema);

export class ExtensionStorageServer {
  readonly #extensionId: string;
  readonly #areas: StorageAreas;
  readonly #worlds = new Map<CDPSession, Map<number, string>>();

  constructor(extension: BrowserExtension, storage: ExtensionStorage) {
    this.#extensionId = extension.id;
    this.#areas = new StorageAreas({
      extensionId: extension.id,
      storage,
      isUnlimited: hasUnlimitedStorage(extension),
      onChanged: (area, changes) => this.#sendAll({ changed: { area, changes } }),
    });
  }

  async serve(session: CDPSession): Promise<void> {
    const worlds = new Map<number, string>();
    this.#worlds.set(session, worlds);
    session.once(CDPSessionEvent.Disconnected, () => this.#worlds.delete(session));
    const name = extensionWorld(this.#extensionId);
    session.on("Runtime.executionContextCreated", ({ context }) => {
      if (context.name === name) worlds.set(context.id, context.uniqueId);
    });
    session.on("Runtime.executionContextDestroyed", ({ executionContextId, executionContextUniqueId }) => {
      if (worlds.get(executionContextId) === executionContextUniqueId) worlds.delete(executionContextId);
    });
    session.on("Runtime.executionContextsCleared", () => worlds.clear());
    const binding = storageBinding(this.#extensionId);
    session.on("Runtime.bindingCalled", ({ name: called, payload, executionContextId }) => {
      const world = worlds.get(executionContextId);
      if (called === binding && world !== undefined) void this.#answer(session, world, payload);
    });
    await session.send("Runtime.addBinding", { name: binding, executionContextName: name });
  }

  async #answer(session: CDPSession, world: string, payload: string): Promise<void> {
    const call = readCall(payload);
    if (call === undefined) return;
    const { id } = call;
    try {
      const value = await this.#areas.serve(call);
      await send(session, world, { answer: { id, value } });
    } catch (error) {
      if (!(error instanceof ExtensionStorageError)) {
        logError("extension_storage_failed", error, { extension: this.#extensionId });
      }
      const message = error instanceof ExtensionStorageError ? error.message : "The storage failed";
      await send(session, world, { answer: { id, error: message } });
    }
  }

  #sendAll(message: StorageMessage): void {
    for (const [session, worlds] of this.#worlds) {
      for (const world of worlds.values()) void send(session, world, message);
    }
  }
}

async function send(session: CDPSession, uniqueContextId: string, message: StorageMessage): Promise<void> {
  const text = JSON.stringify(JSON.stringify(message));
  const expression = `globalThis.${WORLD_HOOK}?.onStorageMessage(${text})`;
  await session.send("Runtime.evaluate", { expression, uniqueContextId }).catch(() => undefined);
}

function readCall(payload: string): z.infer<typeof callSchema> | undefined {
  try {
    return callSchema.safeParse(JSON.parse(payload)).data;
  } catch {
    return undefined;
  }
}
