import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  browserStateSchema,
  collectBrowserState,
  MAX_STATE_BYTES,
  restoreBrowserState,
} from "../../../src/platform/browser/state/browser-state.ts";
import type { ClientPage } from "./extension-browser.ts";
import { StateBrowser } from "./state-browser.ts";
import { DATABASE_TOOLS, DIFFERENCES, VALUES } from "./stored-values.ts";

let first: StateBrowser;
let second: StateBrowser;
beforeAll(async () => {
  [first, second] = await Promise.all([StateBrowser.launch(), StateBrowser.launch()]);
});
afterAll(async () => {
  await Promise.all([first.close(), second.close()]);
});
beforeEach(() => {
  for (const { requests } of [first, second]) requests.length = 0;
});

let sites = 0;
/** An origin that no other test uses. */
function newOrigin(scheme = "https"): string {
  sites += 1;
  return `${scheme}://site-${sites}.test`;
}

const run = (page: ClientPage, body: string) =>
  page.evaluate(`(async () => { ${DATABASE_TOOLS} ${body} })()`);

/** Restores the first browser's state of these origins in the second. */
async function transferState(...origins: string[]) {
  const collected = await collectBrowserState(first.connection, { origins });
  const state = browserStateSchema.parse(JSON.parse(JSON.stringify(collected)));
  await restoreBrowserState(second.connection, state);
  return state;
}

describe("browser state", () => {
  it("includes every kind of IndexedDB value", async () => {
    const origin = newOrigin();
    const page = await first.openPage(`${origin}/`);
    await run(
      page,
      `const values = await ${VALUES}();
      const database = await openDatabase("values", 1, (database) => database.createObjectStore("values"));
      const transaction = database.transaction("values", "readwrite");
      for (const [name, value] of Object.entries(values)) transaction.objectStore("values").put(value, name);
      await completed(transaction);`,
    );
    expect((await transferState(origin)).skipped).toBe(0);
    const restored = await second.openPage(`${origin}/`);
    const differences = await run(
      restored,
      `const values = await ${VALUES}();
      const store = (await openDatabase("values")).transaction("values").objectStore("values");
      const [keys, stored] = await Promise.all([settle(store.getAllKeys()), settle(store.getAll())]);
      const byName = Object.fromEntries(keys.map((key, index) => [key, stored[index]]));
      const found = [];
      if (keys.length !== Object.keys(values).length) found.push("keys: " + keys);
      for (const name of Object.keys(values)) {
        found.push(...(await ${DIFFERENCES}(values[name], byName[name])).map((text) => name + " " + text));
      }
      return found;`,
    );
    expect(differences).toEqual([]);
  });

  it("includes the structure of databases", async () => {
    const origin = newOrigin();
    const page = await first.openPage(`${origin}/`);
    await run(
      page,
      `const database = await openDatabase("shop é", 7, (database) => {
        const plain = database.createObjectStore("out of line");
        plain.createIndex("by tag", "tags", { multiEntry: true });
        database.createObjectStore("nested", { keyPath: "a.b" });
        const pairs = database.createObjectStore("pairs", { keyPath: ["x", "y.z"] });
        pairs.createIndex("both", ["y.z", "x"], { unique: true });
        database.createObjectStore("counted", { autoIncrement: true });
        database.createObjectStore("counted in line", { keyPath: "deep.id", autoIncrement: true });
        database.createObjectStore("never counted", { autoIncrement: true });
        database.createObjectStore("whole value", { keyPath: "" });
      });
      await openDatabase("empty", 3);
      const transaction = database.transaction([...database.objectStoreNames], "readwrite");
      const store = (name) => transaction.objectStore(name);
      const keys = [-1.5, Infinity, "", "\ud800", new Date(5), new Uint8Array([1, 0, 255]), ["a", [1, [new Date(6)]], new Uint8Array([9])]];
      for (const [index, key] of keys.entries()) store("out of line").put({ index, tags: ["t" + index, "all"] }, key);
      store("nested").put({ a: { b: "key", c: 1 } });
      store("pairs").put({ x: 1, y: { z: new Date(2) } });
      for (const text of ["one", "two", "three"]) store("counted").put(text);
      store("counted").delete(3);
      store("counted in line").put({ deep: { id: 41 } });
      store("counted in line").put({ text: "after" });
      store("whole value").put("the key");
      await completed(transaction);`,
    );
    const report = `
      const report = {};
      for (const { name, version } of (await indexedDB.databases()).sort((a, b) => a.name < b.name ? -1 : 1)) {
        const database = await openDatabase(name);
        const stores = [];
        for (const name of database.objectStoreNames) {
          const store = database.transaction(name).objectStore(name);
          stores.push([name, store.keyPath, store.autoIncrement, [...store.indexNames].map((name) => {
            const { keyPath, unique, multiEntry } = store.index(name);
            return [name, keyPath, unique, multiEntry];
          }), await settle(store.getAllKeys()), await settle(store.getAll())]);
        }
        const kind = (value) => value instanceof Date ? "Date" + value.getTime()
          : value instanceof ArrayBuffer ? "bytes" + new Uint8Array(value) : Object.is(value, Infinity) ? "Infinity" : value;
        const plain = (value) => Array.isArray(value) ? value.map(plain)
          : kind(value) === value && typeof value === "object" && value !== null ? Object.entries(value).map(plain) : kind(value);
        report[name] = [version, plain(stores)];
        if (name !== "empty") report["tagged"] = await settle(
          database.transaction("out of line").objectStore("out of line").index("by tag").count("all"));
        database.close();
      }
      return JSON.stringify(report);`;
    const before = await run(page, report);
    await transferState(origin);
    const restored = await second.openPage(`${origin}/`);
    expect(await run(restored, report)).toBe(before);
    const nextNumbers = `
      const database = await openDatabase("shop é");
      const names = ["counted", "counted in line", "never counted"];
      return Promise.all(names.map((name) => settle(database.transaction(name, "readwrite").objectStore(name).add({}))));`;
    // Deleted records keep their numbers, and collecting the next number does not use it up.
    expect(await run(page, nextNumbers)).toEqual([4, 43, 1]);
    expect(await run(restored, nextNumbers)).toEqual([4, 43, 1]);
  });

  it("includes localStorage, also under the names of its own members", async () => {
    const origin = newOrigin();
    const page = await first.openPage(`${origin}/`);
    const items = [
      ["length", "5"],
      ["getItem", "own"],
      ["", "empty name"],
      ["__proto__", "{}"],
      ["\ud800", "lone \udc00"],
      ["日本", "😀".repeat(200_000)],
    ];
    const set = `for (const [key, value] of ${JSON.stringify(items)}) localStorage.setItem(key, value)`;
    await run(page, set);
    await transferState(origin);
    const restored = await second.openPage(`${origin}/`);
    // JSON, because failure reports cannot carry a lone surrogate.
    const read = `return JSON.stringify([localStorage.length, ...${JSON.stringify(items)}.map(([key]) => localStorage.getItem(key))])`;
    expect(await run(restored, read)).toBe(
      JSON.stringify([items.length, ...items.map(([, value]) => value)]),
    );
  });

  it("keeps origins apart, including http ones", async () => {
    const origins = [...Array.from({ length: 9 }, () => newOrigin()), newOrigin("http"), newOrigin("http")];
    const empty = newOrigin();
    for (const origin of origins) {
      const page = await first.openPage(`${origin}/`);
      await run(page, `localStorage.setItem("origin", ${JSON.stringify(origin)})`);
    }
    expect(first.requests.sort()).toEqual(origins.map((origin) => `${origin}/`).sort());
    first.requests.length = 0;
    const state = await transferState(...origins, empty, "chrome://version", "http://unsafe.test:6667");
    expect(state.origins.map(({ origin }) => origin).sort()).toEqual([...origins].sort());
    expect([...first.requests, ...second.requests]).toEqual([]);
    for (const origin of origins) {
      const page = await second.openPage(`${origin}/`);
      expect(await run(page, `return localStorage.getItem("origin")`)).toBe(origin);
    }
  });

  it("is collected and restored in hidden pages", async () => {
    const origin = newOrigin();
    const page = await first.openPage(`${origin}/`);
    await page.evaluate(`localStorage.setItem("key", "value"); document.title = "unchanged"`);
    const targets = async () => {
      const { targetInfos } = await first.connection.send("Target.getTargets");
      return targetInfos.map(({ targetId, type }) => `${type} ${targetId}`).sort();
    };
    const before = await targets();
    await transferState(origin);
    expect(await targets()).toEqual(before);
    expect(await page.evaluate("document.title + document.hasFocus()")).toMatch(/^unchanged/);
  });

  it("bypasses the site's service worker", async () => {
    const origin = newOrigin();
    const register = `
      localStorage.setItem("key", "value");
      await navigator.serviceWorker.register("/service-worker.js");
      await navigator.serviceWorker.ready;
      if (!navigator.serviceWorker.controller) {
        await new Promise((resolve) => { navigator.serviceWorker.oncontrollerchange = resolve; });
      }`;
    for (const browser of [first, second]) {
      await run(await browser.openPage(`${origin}/`), register);
    }
    await run(await second.openPage(`${origin}/seen`), `localStorage.removeItem("key")`);
    await transferState(origin);
    const restored = await second.openPage(`${origin}/seen`);
    const items = `return [localStorage.length, localStorage.getItem("key"), localStorage.getItem("from worker")]`;
    expect(await run(restored, items)).toEqual([2, "value", `${origin}/seen`]);
    const { origins } = await collectBrowserState(first.connection, { origins: [origin] });
    expect(origins[0]?.storage).not.toContain("from worker");
  });

  it("belongs to one browser context", async () => {
    const origin = newOrigin();
    const { browserContextId } = await first.connection.send("Target.createBrowserContext");
    const page = await first.openPage(`${origin}/`, browserContextId);
    await run(page, `localStorage.setItem("key", "of context"); document.cookie = "context=1; path=/"`);
    const outside = await collectBrowserState(first.connection, { origins: [origin] });
    expect(outside.origins).toEqual([]);
    expect(outside.cookies.filter(({ name }) => name === "context")).toEqual([]);
    const state = await collectBrowserState(first.connection, { browserContextId, origins: [origin] });
    expect(state.cookies.map(({ name }) => name)).toEqual(["context"]);
    const created = await second.connection.send("Target.createBrowserContext");
    await restoreBrowserState(second.connection, state, created.browserContextId);
    const restored = await second.openPage(`${origin}/`, created.browserContextId);
    expect(await run(restored, `return localStorage.getItem("key") + document.cookie`)).toBe(
      "of contextcontext=1",
    );
    const defaultPage = await second.openPage(`${origin}/`);
    expect(await run(defaultPage, `return localStorage.getItem("key")`)).toBeNull();
  });

  it("includes large values", async () => {
    const origin = newOrigin();
    const page = await first.openPage(`${origin}/`);
    const digest = `
      const store = (await openDatabase("large")).transaction("values").objectStore("values");
      const { bytes, blob, text } = await settle(store.get(1));
      const hash = async (data) => new Uint8Array(await crypto.subtle.digest("SHA-256", data)).join();
      return [await hash(bytes), await hash(await blob.arrayBuffer()), await hash(new TextEncoder().encode(text))].join("/");`;
    await run(
      page,
      `const bytes = new Uint8Array(5 * 1024 * 1024);
      for (let at = 0; at < bytes.length; at += 65_536) crypto.getRandomValues(bytes.subarray(at, at + 65_536));
      const text = Array.from(bytes.subarray(0, 1_000_000), (byte) => String.fromCodePoint(0x1f300 + byte)).join("");
      const database = await openDatabase("large", 1, (database) => database.createObjectStore("values"));
      const transaction = database.transaction("values", "readwrite");
      transaction.objectStore("values").put({ bytes, blob: new Blob([bytes, "more"]), text }, 1);
      await completed(transaction);`,
    );
    const before = await run(page, digest);
    await transferState(origin);
    const restored = await second.openPage(`${origin}/`);
    expect(await run(restored, digest)).toBe(before);
  });

  it("includes many records", async () => {
    const origin = newOrigin();
    const page = await first.openPage(`${origin}/`);
    const count = `
      const store = (await openDatabase("many")).transaction("values").objectStore("values");
      const values = await settle(store.getAll());
      return values.length + " " + values.every((value, index) => value.index === index);`;
    await run(
      page,
      `const database = await openDatabase("many", 1, (database) => database.createObjectStore("values", { keyPath: "index" }));
      const transaction = database.transaction("values", "readwrite");
      for (let index = 0; index < 5000; index += 1) transaction.objectStore("values").put({ index, text: "x".repeat(index % 300) });
      await completed(transaction);`,
    );
    await transferState(origin);
    const restored = await second.openPage(`${origin}/`);
    expect(await run(restored, count)).toBe("5000 true");
  });

  it("skips and counts records that cannot leave the browser", async () => {
    const origin = newOrigin();
    const page = await first.openPage(`${origin}/`);
    await run(
      page,
      `const key = await crypto.subtle.generateKey("HKDF", false, ["deriveKey"]).catch(() =>
        crypto.subtle.generateKey({ name: "AES-GCM", length: 128 }, false, ["encrypt"]));
      const file = await (await navigator.storage.getDirectory()).getFileHandle("f", { create: true });
      const database = await openDatabase("keys", 1, (database) => database.createObjectStore("values"));
      const transaction = database.transaction("values", "readwrite");
      transaction.objectStore("values").put({ key }, "key");
      transaction.objectStore("values").put([file], "file");
      transaction.objectStore("values").put("kept", "text");
      await completed(transaction);`,
    );
    expect((await transferState(origin)).skipped).toBe(2);
    const restored = await second.openPage(`${origin}/`);
    const keys = `return settle((await openDatabase("keys")).transaction("values").objectStore("values").getAllKeys())`;
    expect(await run(restored, keys)).toEqual(["text"]);
  });

  it("is never partial when the browser closes", async () => {
    const third = await StateBrowser.launch();
    const origins = Array.from({ length: 20 }, () => newOrigin());
    const started = new Promise((resolve) => third.connection.once("Target.attachedToTarget", resolve));
    const collecting = collectBrowserState(third.connection, { origins });
    const rejected = expect(collecting).rejects.toThrow("closed");
    await started;
    await third.close();
    await rejected;
  });

  it("is rejected when too large, naming the origin", async () => {
    const origin = newOrigin();
    const page = await first.openPage(`${origin}/`);
    await run(
      page,
      `const database = await openDatabase("huge", 1, (database) => database.createObjectStore("values"));
      const transaction = database.transaction("values", "readwrite");
      transaction.objectStore("values").put(new Blob([new Uint8Array(${MAX_STATE_BYTES * 0.76})]), "blob");
      await completed(transaction);
      database.close();`,
    );
    const collecting = collectBrowserState(first.connection, { origins: [newOrigin(), origin] });
    await expect(collecting).rejects.toThrow(`${origin} could not be read`);
    await expect(collecting).rejects.toThrow("more than");
    await run(page, `await settle(indexedDB.deleteDatabase("huge"))`);
  });
});

describe("open pages of a site", () => {
  it("can keep their databases open", async () => {
    const origin = newOrigin();
    const page = await first.openPage(`${origin}/`);
    await run(
      page,
      `globalThis.held = await openDatabase("held", 1, (database) => database.createObjectStore("values"));
      const transaction = held.transaction("values", "readwrite");
      transaction.objectStore("values").put("value", "key");
      await completed(transaction);`,
    );
    await transferState(origin);
    const restored = await second.openPage(`${origin}/`);
    await run(restored, `globalThis.held = await openDatabase("held")`);
    await run(page, `held.transaction("values", "readwrite").objectStore("values").put("newer", "key")`);
    await transferState(origin);
    const read = `return settle(held.transaction("values").objectStore("values").get("key"))`;
    expect(await run(restored, read)).toBe("newer");
  });

  it("cannot block the collection, which fails and names the origin", async () => {
    const origin = newOrigin();
    const page = await first.openPage(`${origin}/`);
    await run(
      page,
      `const held = await openDatabase("upgraded", 1, (database) => database.createObjectStore("values"));
      held.onversionchange = () => undefined;
      globalThis.keep = held;
      globalThis.upgrade = indexedDB.open("upgraded", 2);
      await new Promise((resolve) => { upgrade.onblocked = resolve; });`,
    );
    const collecting = collectBrowserState(first.connection, { origins: [origin], timeLimitMs: 500 });
    await expect(collecting).rejects.toThrow(`${origin} could not be read`);
    await expect(collecting).rejects.toThrow("500 ms");
    await run(page, "keep.close()");
    expect((await collectBrowserState(first.connection, { origins: [origin] })).origins).toHaveLength(1);
  });

  it("can upgrade their databases afterwards", async () => {
    const origin = newOrigin();
    const page = await first.openPage(`${origin}/`);
    await run(page, `(await openDatabase("next", 1, (database) => database.createObjectStore("a"))).close()`);
    await transferState(origin);
    const restored = await second.openPage(`${origin}/`);
    const upgrade = `return [...(await openDatabase("next", 2, (database) => database.createObjectStore("b"))).objectStoreNames].join()`;
    expect(await run(restored, upgrade)).toBe("a,b");
  });
});

describe("restoring over existing data", () => {
  const write = (version: number, stores: string, puts: string) => `
    const database = await openDatabase("notes", ${version}, (database) => { ${stores} });
    const transaction = database.transaction([...database.objectStoreNames], "readwrite");
    const put = (store, ...record) => transaction.objectStore(store).put(...record);
    ${puts}
    await completed(transaction);
    database.close();`;
  const read = `
    const database = await openDatabase("notes");
    const content = {};
    for (const name of database.objectStoreNames) {
      const store = database.transaction(name).objectStore(name);
      const [keys, values] = await Promise.all([settle(store.getAllKeys()), settle(store.getAll())]);
      content[name] = keys.map((key, index) => [key, values[index]]);
    }
    const { version } = database;
    database.close();
    return { version, content };`;
  const plain = `database.createObjectStore("notes")`;

  it.each<[string, string, string, object]>([
    [
      "overwrites matching records and keeps the others",
      write(1, plain, `put("notes", "kept", 1); put("notes", "old", 2);`),
      write(1, plain, `put("notes", "new", 2); put("notes", "more", 3);`),
      {
        version: 1,
        content: {
          notes: [
            [1, "kept"],
            [2, "new"],
            [3, "more"],
          ],
        },
      },
    ],
    [
      "adds stores to an older database",
      write(1, plain, `put("notes", "kept", 1);`),
      write(2, `${plain}; database.createObjectStore("tags")`, `put("tags", "t", 1);`),
      { version: 2, content: { notes: [[1, "kept"]], tags: [[1, "t"]] } },
    ],
    [
      "restores into a newer database with the same stores",
      write(3, `${plain}; database.createObjectStore("tags")`, `put("tags", "t", 1);`),
      write(1, plain, `put("notes", "new", 1);`),
      { version: 3, content: { notes: [[1, "new"]], tags: [[1, "t"]] } },
    ],
    [
      "replaces a database without its stores",
      write(3, `database.createObjectStore("other")`, `put("other", "old", 1);`),
      write(1, plain, `put("notes", "new", 1);`),
      { version: 1, content: { notes: [[1, "new"]] } },
    ],
    [
      "replaces a store whose records violate a unique index",
      write(
        1,
        `database.createObjectStore("notes").createIndex("name", "name", { unique: true })`,
        `put("notes", { name: "a" }, 1);`,
      ),
      write(
        1,
        `database.createObjectStore("notes").createIndex("name", "name", { unique: true })`,
        `put("notes", { name: "a" }, 2);`,
      ),
      { version: 1, content: { notes: [[2, { name: "a" }]] } },
    ],
  ])("%s", async (_, existing, saved, expected) => {
    const origin = newOrigin();
    await run(await first.openPage(`${origin}/`), saved);
    const page = await second.openPage(`${origin}/`);
    await run(page, `localStorage.setItem("there", "stays"); ${existing}`);
    await transferState(origin);
    expect(await run(page, read)).toEqual(expected);
    expect(await run(page, `return localStorage.getItem("there")`)).toBe("stays");
  });
});

describe("cookies", () => {
  it("are restored unchanged, including partitioned and HttpOnly ones", async () => {
    const { connection } = first;
    await connection.send("Storage.clearCookies");
    await second.connection.send("Storage.clearCookies");
    const expires = Math.floor(Date.now() / 1000) + 86_400;
    const partition: object = {
      partitionKey: { topLevelSite: "https://top.test", hasCrossSiteAncestor: true },
    };
    const common = { path: "/", secure: true } as const;
    await connection.send("Storage.setCookies", {
      cookies: [
        { ...common, name: "session", value: "s", domain: "host.test", httpOnly: true },
        { ...common, name: "lasting", value: 'l="é"', domain: ".host.test", expires, sameSite: "Strict" },
        { ...common, name: "__Host-own", value: "", domain: "host.test", sameSite: "None" },
        {
          name: "plain",
          value: "p",
          domain: "plain.test",
          path: "/deep/er",
          priority: "High",
          sameSite: "Lax",
        },
        {
          name: "numbered",
          value: "n",
          domain: "127.0.0.1",
          path: "/",
          sourceScheme: "NonSecure",
          sourcePort: 8080,
        },
        { ...common, name: "inside", value: "1", domain: "inner.test", sameSite: "None", ...partition },
        { ...common, name: "inside", value: "2", domain: "inner.test", sameSite: "None" },
      ],
    });
    const read = async (browser: StateBrowser) => {
      const { cookies } = await browser.connection.send("Storage.getCookies");
      return cookies.sort((a, b) => `${a.name} ${a.value}`.localeCompare(`${b.name} ${b.value}`));
    };
    const before = await read(first);
    expect(before).toHaveLength(7);
    expect(before.find(({ value }) => value === "1")).toMatchObject(partition);
    await transferState();
    expect(await read(second)).toEqual(before);
  });

  it("that a site sets are visible to it again", async () => {
    const origin = newOrigin();
    const page = await first.openPage(`${origin}/`);
    await run(
      page,
      `document.cookie = "chips=1; Secure; SameSite=None; Partitioned; Path=/"; document.cookie = "own=2"`,
    );
    await transferState();
    const restored = await second.openPage(`${origin}/`);
    expect(await run(restored, "return document.cookie.split('; ').sort().join()")).toBe("chips=1,own=2");
  });

  it("that the browser refuses are reported, and do not affect others", async () => {
    const cookie = { path: "/", httpOnly: false, secure: true, value: "v" };
    const cookies = Array.from({ length: 9 }, (_, index) => ({
      ...cookie,
      name: `good-${index}`,
      domain: "refusing.test",
    }));
    cookies.splice(4, 0, { ...cookie, name: "bad", value: "a;b", domain: "refusing.test" });
    const state = { version: 1 as const, cookies, origins: [], skipped: 0 };
    const { refusedCookies } = await restoreBrowserState(second.connection, state);
    expect(refusedCookies).toEqual(["bad of refusing.test"]);
    const { cookies: set } = await second.connection.send("Storage.getCookies");
    expect(set.filter(({ domain }) => domain === "refusing.test")).toHaveLength(9);
  });
});
