import { env } from "cloudflare:workers";
import { afterAll, beforeAll, expect, it } from "vitest";
import { describeContents } from "../../../src/features/profiles/describe-contents.ts";
import { loadProfile } from "../../../src/features/profiles/load-profile.ts";
import { saveProfile } from "../../../src/features/profiles/save-profile.ts";
import {
  collectBrowserState,
  restoreBrowserState,
} from "../../../src/platform/browser/state/browser-state.ts";
import { newClient } from "../../api.ts";
import { StateBrowser } from "../../platform/browser/state-browser.ts";
import { DATABASE_TOOLS, DIFFERENCES, VALUES } from "../../platform/browser/stored-values.ts";
import { newProfile } from "./profiles.ts";

let first: StateBrowser;
let second: StateBrowser;
beforeAll(async () => {
  [first, second] = await Promise.all([StateBrowser.launch(), StateBrowser.launch()]);
});
afterAll(async () => {
  await Promise.all([first.close(), second.close()]);
});

it("carries a browser's state to another browser through a profile", async () => {
  const client = await newClient();
  const { id } = await newProfile(client, "carried");
  const { organizationId } = client;
  const page = await first.openPage("https://site.test/");
  await page.evaluate(`(async () => {
    ${DATABASE_TOOLS}
    const values = await ${VALUES}();
    const database = await openDatabase("values", 1, (database) => database.createObjectStore("values"));
    const transaction = database.transaction("values", "readwrite");
    for (const [name, value] of Object.entries(values)) transaction.objectStore("values").put(value, name);
    localStorage.setItem("name", "välue");
    await completed(transaction);
  })()`);
  const partitionKey: object = {
    partitionKey: { topLevelSite: "https://site.test", hasCrossSiteAncestor: true },
  };
  const cookie = { path: "/", secure: true, httpOnly: true };
  await first.connection.send("Storage.setCookies", {
    cookies: [
      { ...cookie, name: "own", value: "1", domain: ".site.test" },
      { ...cookie, ...partitionKey, name: "chips", value: "2", domain: "embedded.test", sameSite: "None" },
    ],
  });

  const before = await collectBrowserState(first.connection, { origins: ["https://site.test"] });
  await saveProfile(env, { organizationId, profileId: id }, before);
  const state = await loadProfile(env, { organizationId, projectId: "" }, id);
  if (state === undefined) throw new Error("The profile is empty");
  const contents = describeContents(state, { includesValues: true });
  expect(contents.cookies.map(({ name, value }) => `${name}=${value}`).sort()).toEqual(["chips=2", "own=1"]);
  const stored = JSON.parse(state.origins[0]?.storage ?? "").databases[0].stores[0].records.length;
  expect(stored).toBeGreaterThan(10);
  expect(contents.origins).toEqual([
    {
      origin: "https://site.test",
      local_storage: [{ key: "name", size_bytes: 10, value: "välue" }],
      indexed_db: [{ name: "values", version: 1, object_stores: [{ name: "values", records: stored }] }],
    },
  ]);
  await restoreBrowserState(second.connection, state);
  expect(second.requests).toEqual([]);

  const restored = await second.openPage("https://site.test/");
  const found = await restored.evaluate(`(async () => {
    ${DATABASE_TOOLS}
    const values = await ${VALUES}();
    const store = (await openDatabase("values")).transaction("values").objectStore("values");
    const [keys, stored] = await Promise.all([settle(store.getAllKeys()), settle(store.getAll())]);
    const found = [localStorage.getItem("name"), keys.length - Object.keys(values).length];
    for (const [index, key] of keys.entries()) found.push(...(await ${DIFFERENCES}(values[key], stored[index])));
    return found;
  })()`);
  expect(found).toEqual(["välue", 0]);
  const { cookies } = await second.connection.send("Storage.getCookies");
  expect(cookies).toHaveLength(2);
  expect(cookies).toContainEqual(expect.objectContaining({ name: "chips", httpOnly: true, ...partitionKey }));

  // A state includes what the second browser's pages left alone.
  const origins = state.origins.map(({ origin }) => origin);
  const after = await collectBrowserState(second.connection, { origins });
  expect(after.origins).toHaveLength(1);
  expect(after.cookies.length).toBe(2);
});
