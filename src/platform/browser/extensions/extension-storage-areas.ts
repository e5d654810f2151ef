import { z } from "zod";
import {
  STORAGE_AREAS,
  STORAGE_QUOTA_BYTES,
  type StorageArea,
  type StorageChanges,
} from "../../page-scripts/extension-protocol.ts";
import type { ExtensionStorage } from "./browser-extension.ts";

const QUOTA_MESSAGE = "Resource::kQuotaBytes quota exceeded";

const itemsSchema = z.record(z.string(), z.unknown());
const keysSchema = z.union([z.string().transform((key) => [key]), z.array(z.string())]);
const area = z.enum(STORAGE_AREAS);

export const storageRequestSchema = z.discriminatedUnion("method", [
  z.object({ area, method: z.literal("get"), value: z.union([keysSchema, itemsSchema, z.null()]) }),
  z.object({ area, method: z.literal("getBytesInUse"), value: z.union([keysSchema, z.null()]) }),
  z.object({ area, method: z.literal("set"), value: itemsSchema }),
  z.object({ area, method: z.literal("remove"), value: keysSchema }),
  z.object({ area, method: z.literal("clear") }),
]);

export type StorageRequest = z.infer<typeof storageRequestSchema>;

type Items = Map<string, unknown>;

export class ExtensionStorageError extends Error {
  override readonly name = "ExtensionStorageError";
}

interface StorageAreasOptions {
  extensionId: string;
  storage: ExtensionStorage;
  isUnlimited: boolean;
  onChanged: (area: StorageArea, changes: StorageChanges) => void;
}

function storageKey(extensionId: string, area: "local" | "sync"): string {
  return area === "local" ? extensionId : `${extensionId}:${area}`;
}

export class StorageAreas {
  readonly #options: StorageAreasOptions;
  readonly #lastWork = new Map<StorageArea, Promise<unknown>>();
  #sessionItems: Items = new Map();

  constructor(options: StorageAreasOptions) {
    this.#options = options;
  }

  async serve(request: StorageRequest): Promise<unknown> {
    const before = this.#lastWork.get(request.area) ?? Promise.resolve();
    const work = before.then(() => this.#serve(request));
    this.#lastWork.set(
      request.area,
      work.catch(() => undefined),
    );
    return work;
  }

  async #serve(request: StorageRequest): Promise<unknown> {
    const items = await this.#read(request.area);
    switch (request.method) {
      case "get":
        return Object.fromEntries(choose(items, request.value));
      case "getBytesInUse":
        return sizeOf(choose(items, request.value));
      case "set":
        return this.#change(request.area, items, new Map([...items, ...Object.entries(request.value)]));
      case "remove": {
        const removed = new Set(request.value);
        return this.#change(request.area, items, new Map([...items].filter(([key]) => !removed.has(key))));
      }
      case "clear":
        return this.#change(request.area, items, new Map());
    }
  }

  async #read(area: StorageArea): Promise<Items> {
    if (area === "session") return this.#sessionItems;
    const { extensionId, storage } = this.#options;
    return new Map(Object.entries(await storage.read(storageKey(extensionId, area))));
  }

  async #change(area: StorageArea, before: Items, after: Items): Promise<undefined> {
    const { extensionId, storage, isUnlimited, onChanged } = this.#options;
    const changes = compare(before, after);
    if (changes.length === 0) return;
    const size = sizeOf(after);
    if (!isUnlimited && size > STORAGE_QUOTA_BYTES && size > sizeOf(before))
      throw new ExtensionStorageError(QUOTA_MESSAGE);
    if (area === "session") this.#sessionItems = after;
    else await storage.write(storageKey(extensionId, area), Object.fromEntries(after));
    onChanged(area, Object.fromEntries(changes));
  }
}

/** An object's values are defaults for missing items. */
function choose(items: Items, wanted: string[] | Record<string, unknown> | null): Items {
  if (wanted === null) return items;
  const keys = Array.isArray(wanted) ? wanted : Object.keys(wanted);
  const chosen = new Map(Array.isArray(wanted) ? [] : Object.entries(wanted));
  for (const key of keys) {
    if (items.has(key)) chosen.set(key, items.get(key));
  }
  return chosen;
}

/** Chrome counts an item's key and its value as JSON. */
function sizeOf(items: Items): number {
  const encoder = new TextEncoder();
  let size = 0;
  for (const [key, value] of items) {
    size += encoder.encode(key).byteLength + encoder.encode(JSON.stringify(value)).byteLength;
  }
  return size;
}

function compare(before: Items, after: Items): [key: string, change: StorageChanges[string]][] {
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((key) => {
    const isSame =
      before.has(key) && after.has(key) && JSON.stringify(before.get(key)) === JSON.stringify(after.get(key));
    if (isSame) return [];
    return [
      [
        key,
        {
          ...(before.has(key) ? { oldValue: before.get(key) } : {}),
          ...(after.has(key) ? { newValue: after.get(key) } : {}),
        },
      ],
    ];
  });
}
