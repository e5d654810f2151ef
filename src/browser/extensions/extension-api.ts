import { STORAGE_AREAS, STORAGE_QUOTA_BYTES } from "./extension-storage-areas.ts";

/**
 * Gives an extension's world its `chrome`, of which Chrome's own has nothing there: runtime without a background,
 * so that messages go to the listeners of the same document, and storage, which is asked for through a binding.
 *
 * Its parameter says what the extension is; it returns what the world is told through. It is text, as the scripts
 * that it is for.
 */
export const EXTENSION_API = `({ id, manifest, resources, storageBinding }) => {
  let lastError;

  const clone = (value) => (value === undefined ? undefined : JSON.parse(JSON.stringify(value) ?? "null"));
  const settle = (promise, callback) => {
    if (typeof callback !== "function") return promise;
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
  };
  const newEvent = () => {
    const listeners = new Set();
    const event = {
      addListener: (listener) => void listeners.add(listener),
      removeListener: (listener) => void listeners.delete(listener),
      hasListener: (listener) => listeners.has(listener),
      hasListeners: () => listeners.size > 0,
    };
    const tell = (...values) =>
      [...listeners].map((listener) => {
        try {
          return listener(...values);
        } catch (error) {
          reportError(error);
        }
      });
    return { event, listeners, tell };
  };

  const onMessage = newEvent();
  const deliver = (message) =>
    new Promise((resolve, reject) => {
      if (onMessage.listeners.size === 0) {
        reject(new Error("Could not establish connection. Receiving end does not exist."));
        return;
      }
      let isAnswered = false;
      const respond = (response) => {
        isAnswered = true;
        resolve(clone(response));
      };
      const sender = { id, url: location.href, origin };
      const returned = onMessage.tell(message, sender, respond);
      const promised = returned.filter((value) => typeof value?.then === "function");
      for (const answer of promised) answer.then(respond, reject);
      if (!isAnswered && promised.length === 0 && !returned.includes(true)) resolve(undefined);
    });
  const sendMessage = (...values) => {
    const callback = typeof values.at(-1) === "function" ? values.pop() : undefined;
    // The id of an extension may come first, and options last.
    const isAddressed = values.length > 1 && (typeof values[0] === "string" || values[0] == null);
    const message = clone(isAddressed ? values[1] : values[0]);
    const isForOther = isAddressed && values[0] != null && values[0] !== id;
    const sent = isForOther
      ? Promise.reject(new Error("Could not establish connection. Receiving end does not exist."))
      : Promise.resolve().then(() => deliver(message));
    return settle(sent, callback);
  };

  const getURL = (path) => {
    const name = String(path).replace(/^\\/+/, "");
    return Object.hasOwn(resources, name) ? resources[name] : "chrome-extension://" + id + "/" + name;
  };

  const pending = new Map();
  const areaEvents = new Map();
  const onChanged = newEvent();
  let asked = 0;
  const ask = (area, method, value, callback) =>
    settle(
      new Promise((resolve, reject) => {
        asked += 1;
        pending.set(asked, { resolve, reject });
        globalThis[storageBinding](JSON.stringify({ id: asked, area, method, value }));
      }),
      callback,
    );
  const askKeys = (area, method) => (keys, callback) =>
    typeof keys === "function" ? ask(area, method, null, keys) : ask(area, method, keys ?? null, callback);
  const newArea = (area) => {
    const changed = newEvent();
    areaEvents.set(area, changed);
    return {
      QUOTA_BYTES: ${STORAGE_QUOTA_BYTES},
      get: askKeys(area, "get"),
      getBytesInUse: askKeys(area, "getBytesInUse"),
      set: (items, callback) => {
        if (typeof items !== "object" || items === null) throw new TypeError("Error in invocation of storage.set: items is no object");
        return ask(area, "set", items, callback);
      },
      remove: (keys, callback) => ask(area, "remove", typeof keys === "string" ? [keys] : keys, callback),
      clear: (callback) => ask(area, "clear", null, callback),
      onChanged: changed.event,
    };
  };

  const chrome = {
    runtime: {
      id,
      getURL,
      getManifest: () => clone(manifest),
      sendMessage,
      onMessage: onMessage.event,
      get lastError() {
        return lastError;
      },
    },
    i18n: { getMessage: () => "" },
    extension: { getURL },
  };
  if (storageBinding !== null) {
    chrome.storage = { onChanged: onChanged.event };
    for (const area of ${JSON.stringify(STORAGE_AREAS)}) chrome.storage[area] = newArea(area);
  }
  for (const name of ["chrome", "browser"]) {
    Object.defineProperty(globalThis, name, { value: chrome, configurable: true, writable: true, enumerable: true });
  }

  return {
    began: () => undefined,
    hear(text) {
      const { answer, changed } = JSON.parse(text);
      if (answer !== undefined) {
        const request = pending.get(answer.id);
        pending.delete(answer.id);
        if (answer.error === undefined) request?.resolve(answer.value);
        else request?.reject(new Error(answer.error));
      }
      if (changed !== undefined) {
        areaEvents.get(changed.area).tell(changed.changes, changed.area);
        onChanged.tell(changed.changes, changed.area);
      }
    },
  };
}`;
