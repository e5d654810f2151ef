import {
  type ExtensionDescription,
  STORAGE_AREAS,
  STORAGE_QUOTA_BYTES,
  type StorageArea,
  type StorageMessage,
  WORLD_HOOK,
} from "./extension-protocol.ts";

type Callback = (value?: unknown) => void;
type Listener = (...values: unknown[]) => unknown;

type Settle = (outcome: Promise<unknown>, callback: unknown) => Promise<unknown> | undefined;

export interface WorldHook {
  onScriptStart: (index: number) => void;
  onStorageMessage(text: string): void;
}

const NO_RECEIVER = "Could not establish connection. Receiving end does not exist.";

export function installExtensionApi(description: ExtensionDescription): WorldHook {
  const { id, manifest, resources, storageBinding } = description;
  const messaging = newMessaging(id);
  const storage = storageBinding === null ? undefined : newStorage(storageBinding, messaging.settle);
  const getURL = (path: unknown) => {
    const name = String(path).replace(/^\/+/, "");
    return Object.hasOwn(resources, name) ? resources[name] : `chrome-extension://${id}/${name}`;
  };
  const chrome = {
    runtime: {
      id,
      getURL,
      getManifest: () => clone(manifest),
      sendMessage: messaging.sendMessage,
      onMessage: messaging.onMessage,
      get lastError() {
        return messaging.lastError();
      },
    },
    i18n: { getMessage: () => "" },
    extension: { getURL },
    ...(storage === undefined ? {} : { storage: storage.api }),
  };
  for (const name of ["chrome", "browser"]) {
    Object.defineProperty(globalThis, name, {
      value: chrome,
      configurable: true,
      writable: true,
      enumerable: true,
    });
  }
  const hook: WorldHook = {
    onScriptStart: () => undefined,
    onStorageMessage: (text) => storage?.receive(JSON.parse(text)),
  };
  Object.defineProperty(globalThis, WORLD_HOOK, { value: hook, configurable: true });
  return hook;
}

function newMessaging(id: string) {
  let lastError: { message: string } | undefined;
  const settle: Settle = (promise, callback) => {
    if (!isCallback(callback)) return promise;
    promise.then(
      (value) => (value === undefined ? callback() : callback(value)),
      ({ message }) => {
        lastError = { message };
        try {
          callback();
        } finally {
          lastError = undefined;
        }
      },
    );
    return undefined;
  };
  const onMessage = newEvent();
  const deliver = (message: unknown) =>
    new Promise((resolve, reject) => {
      if (!onMessage.event.hasListeners()) {
        reject(new Error(NO_RECEIVER));
        return;
      }
      let isAnswered = false;
      const respond = (response?: unknown) => {
        isAnswered = true;
        resolve(clone(response));
      };
      const sender = { id, url: location.href, origin };
      const returned = onMessage.dispatch(message, sender, respond);
      const promises = returned.filter(isPromiseLike);
      for (const promise of promises) promise.then(respond, reject);
      if (!isAnswered && promises.length === 0 && !returned.includes(true)) resolve(undefined);
    });
  const sendMessage = (...values: unknown[]) => {
    const callback = isCallback(values.at(-1)) ? values.pop() : undefined;
    const isAddressed = values.length > 1 && (typeof values[0] === "string" || values[0] == null);
    const message = clone(isAddressed ? values[1] : values[0]);
    const isForOther = isAddressed && values[0] != null && values[0] !== id;
    const sent = isForOther
      ? Promise.reject(new Error(NO_RECEIVER))
      : Promise.resolve().then(() => deliver(message));
    return settle(sent, callback);
  };
  return { settle, sendMessage, onMessage: onMessage.event, lastError: () => lastError };
}

function newStorage(binding: string, settle: Settle) {
  const pending = new Map<number, PromiseWithResolvers<unknown>>();
  const areaEvents = new Map<StorageArea, ReturnType<typeof newEvent>>();
  const onChanged = newEvent();
  let requests = 0;
  const request = (area: StorageArea, method: string, value: unknown, callback: unknown) => {
    requests += 1;
    const answer = Promise.withResolvers<unknown>();
    pending.set(requests, answer);
    const send: (payload: string) => void = Reflect.get(globalThis, binding);
    send(JSON.stringify({ id: requests, area, method, value }));
    return settle(answer.promise, callback);
  };
  const requestKeys = (area: StorageArea, method: string) => (keys?: unknown, callback?: unknown) =>
    isCallback(keys) ? request(area, method, null, keys) : request(area, method, keys ?? null, callback);
  const newArea = (area: StorageArea) => {
    const changed = newEvent();
    areaEvents.set(area, changed);
    return {
      QUOTA_BYTES: STORAGE_QUOTA_BYTES,
      get: requestKeys(area, "get"),
      getBytesInUse: requestKeys(area, "getBytesInUse"),
      set: (items?: unknown, callback?: unknown) => {
        if (typeof items !== "object" || items === null) {
          throw new TypeError("Error in invocation of storage.set: items is no object");
        }
        return request(area, "set", items, callback);
      },
      remove: (keys?: unknown, callback?: unknown) =>
        request(area, "remove", typeof keys === "string" ? [keys] : keys, callback),
      clear: (callback?: unknown) => request(area, "clear", null, callback),
      onChanged: changed.event,
    };
  };
  const areas = STORAGE_AREAS.map((area) => [area, newArea(area)] as const);
  const receive = ({ answer, changed }: StorageMessage) => {
    if (answer !== undefined) {
      const waiting = pending.get(answer.id);
      pending.delete(answer.id);
      if (answer.error === undefined) waiting?.resolve(answer.value);
      else waiting?.reject(new Error(answer.error));
    }
    if (changed !== undefined) {
      areaEvents.get(changed.area)?.dispatch(changed.changes, changed.area);
      onChanged.dispatch(changed.changes, changed.area);
    }
  };
  return { api: { onChanged: onChanged.event, ...Object.fromEntries(areas) }, receive };
}

function newEvent() {
  const listeners = new Set<Listener>();
  const event = {
    addListener: (listener: Listener) => void listeners.add(listener),
    removeListener: (listener: Listener) => void listeners.delete(listener),
    hasListener: (listener: Listener) => listeners.has(listener),
    hasListeners: () => listeners.size > 0,
  };
  const dispatch = (...values: unknown[]) =>
    [...listeners].map((listener) => {
      try {
        return listener(...values);
      } catch (error) {
        reportError(error);
        return undefined;
      }
    });
  return { event, dispatch };
}

function clone(value: unknown): unknown {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value) ?? "null");
}

function isCallback(value: unknown): value is Callback {
  return typeof value === "function";
}

function isPromiseLike(value: unknown): value is PromiseLike<unknown> {
  return typeof Object(value).then === "function";
}
