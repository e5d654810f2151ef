import type { Page } from "playwright-core";

/** Runs in a page; returns what its site has stored. */
export const readStorage = async () => {
  const opened = indexedDB.open("kept");
  const database = await new Promise<IDBDatabase>((resolve, reject) => {
    opened.onupgradeneeded = () => opened.result.createObjectStore("store");
    opened.onsuccess = () => resolve(opened.result);
    opened.onerror = () => reject(opened.error);
  });
  const request = database.transaction("store").objectStore("store").get("key");
  const value = await new Promise((resolve) => {
    request.onsuccess = () => resolve(request.result);
  });
  database.close();
  return { cookie: document.cookie, item: localStorage.getItem("item"), value };
};

/** Stores a value as a cookie, in localStorage, and as a date in IndexedDB. */
export async function writeStorage(page: Page, value: string): Promise<void> {
  await page.evaluate(async (value) => {
    // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is not available on http pages
    document.cookie = `cookie=${value}; max-age=3600`;
    localStorage.setItem("item", value);
    const opened = indexedDB.open("kept");
    await new Promise((resolve) => {
      opened.onupgradeneeded = () => opened.result.createObjectStore("store");
      opened.onsuccess = resolve;
    });
    const transaction = opened.result.transaction("store", "readwrite");
    transaction.objectStore("store").put(new Date(Number(value)), "key");
    await new Promise((resolve) => {
      transaction.oncomplete = resolve;
    });
    opened.result.close();
  }, value);
}

/** The result of {@link readStorage} for a stored value. */
export function expectedStorage(value: string) {
  return { cookie: `cookie=${value}`, item: value, value: new Date(Number(value)) };
}
