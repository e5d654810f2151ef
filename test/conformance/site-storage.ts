import type Kernel from "@onkernel/sdk";
import type { Page } from "playwright-core";
import { connectPage, openSession } from "./connect-page.ts";

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

/** Stores a value on a site in a session of its own. @returns the session's id. */
export async function storeInSession(
  kernel: Kernel,
  origin: string,
  params: Kernel.BrowserCreateParams,
  value: string,
): Promise<string> {
  await using session = await openSession(kernel, { timeout_seconds: 300, ...params });
  const { browser, page } = await connectPage(session);
  await page.goto(`${origin}/visit`);
  await writeStorage(page, value);
  await browser.close();
  return session.session_id;
}

/** Reads what a site has stored in a session of its own; undefined if it has nothing. */
export async function readInSession(kernel: Kernel, origin: string, params: Kernel.BrowserCreateParams) {
  await using session = await openSession(kernel, { timeout_seconds: 300, ...params });
  const { browser, page } = await connectPage(session);
  await page.goto(`${origin}/find`);
  const found = await page.evaluate(readStorage).catch(() => undefined);
  await browser.close();
  return found;
}

/** The result of {@link readStorage} for a stored value. */
export function expectedStorage(value: string) {
  return { cookie: `cookie=${value}`, item: value, value: new Date(Number(value)) };
}
