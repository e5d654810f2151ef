import { describe, expect, it } from "vitest";
import { openExtension } from "../../../src/features/extensions/extension-zip.ts";
import { listUnsupported, manifestSchema } from "../../../src/features/extensions/manifest.ts";
import { buildZip } from "../../lib/archives/zip-builder.ts";
import { extensionZip, manifest } from "./extensions.ts";

const script = { matches: ["<all_urls>"], js: ["a.js"] };

describe("openExtension", () => {
  it("finds the manifest at the root or in the only top-level directory", async () => {
    const direct = await openExtension(extensionZip({ content_scripts: [script] }, { "a.js": "1" }));
    expect(direct.manifest.name).toBe("Test");
    expect(new TextDecoder().decode(await direct.read("a.js"))).toBe("1");
    expect(await direct.read("b.js")).toBeUndefined();
    const nested = await openExtension(
      buildZip([
        { name: "folder/manifest.json", content: JSON.stringify(manifest({ content_scripts: [script] })) },
        { name: "folder/a.js", content: "2" },
      ]),
    );
    expect(new TextDecoder().decode(await nested.read("a.js"))).toBe("2");
    expect(nested.files.map(({ path }) => path)).toEqual(["manifest.json", "a.js"]);
  });

  it.each<[string, Uint8Array, string]>([
    ["that is not a zip", new TextEncoder().encode("hello"), "zip"],
    ["that is empty", buildZip([]), "no manifest.json"],
    ["without a manifest", buildZip([{ name: "a.js", content: "1" }]), "no manifest.json"],
    [
      "with a manifest too deep",
      buildZip([{ name: "a/b/manifest.json", content: "{}" }]),
      "no manifest.json",
    ],
    ["with invalid JSON", buildZip([{ name: "manifest.json", content: "{" }]), "not valid JSON"],
    ["with an array as manifest", buildZip([{ name: "manifest.json", content: "[]" }]), "not valid"],
    ["with manifest version 1", extensionZip({ manifest_version: 1 }), "manifest_version"],
    ["without a name", extensionZip({ name: undefined }), "name"],
    ["with an invalid version", extensionZip({ version: "one" }), "version"],
    [
      "with a content script that matches nothing",
      extensionZip({ content_scripts: [{ matches: [] }] }),
      "content_scripts.0.matches",
    ],
    [
      "with an invalid match pattern",
      extensionZip({ content_scripts: [{ matches: ["example.com"], js: [] }] }),
      "content_scripts.0.matches.0",
    ],
    ["with a missing script", extensionZip({ content_scripts: [script] }), "a.js"],
    ["with a path outside of it", buildZip([{ name: "../manifest.json", content: "{}" }]), "leads out"],
    [
      "that unpacks to too many bytes",
      buildZip([{ name: "manifest.json", content: "{}", size: 200 * 1024 * 1024 }]),
      "allowed",
    ],
  ])("rejects a zip %s", async (_, zip, message) => {
    const opening = openExtension(zip);
    await expect(opening).rejects.toMatchObject({ code: "bad_request", problems: [{ field: "file" }] });
    await expect(opening).rejects.toThrow(message);
  });

  it("accepts line comments in the manifest", async () => {
    const content = `// a comment\n${JSON.stringify(manifest())}`;
    const { manifest: read } = await openExtension(buildZip([{ name: "manifest.json", content }]));
    expect(read.version).toBe("1.0");
  });
});

describe("listUnsupported", () => {
  it.each<[object, string[]]>([
    [{}, []],
    [{ content_scripts: [script], permissions: ["storage", "activeTab", "https://*/*", "<all_urls>"] }, []],
    [{ background: { service_worker: "b.js" } }, ["background"]],
    [{ action: { default_popup: "p.html" }, options_page: "o.html" }, ["action", "options_page"]],
    [{ permissions: ["storage", "webRequest", "tabs"] }, ["permissions.webRequest", "permissions.tabs"]],
    [{ declarative_net_request: {}, default_locale: "en" }, ["declarative_net_request", "default_locale"]],
  ])("lists for %j: %j", (fields, features) => {
    const unsupported = listUnsupported(manifestSchema.parse(manifest(fields)));
    expect(unsupported.map(({ feature }) => feature)).toEqual(features);
    for (const { reason } of unsupported) expect(reason).not.toBe("");
  });
});
