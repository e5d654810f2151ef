import { describe, expect, it } from "vitest";
import { openExtension } from "../../src/extensions/extension-zip.ts";
import { listUnsupported, manifestSchema } from "../../src/extensions/manifest.ts";
import { buildZip } from "../archives/zip-builder.ts";
import { extensionZip, manifest } from "./extensions.ts";

const script = { matches: ["<all_urls>"], js: ["a.js"] };

describe("an extension's zip", () => {
  it("is opened, with its manifest at the top or in the only directory there", async () => {
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
    ["is no zip", new TextEncoder().encode("hello"), "zip"],
    ["is empty", buildZip([]), "no manifest.json"],
    ["has no manifest", buildZip([{ name: "a.js", content: "1" }]), "no manifest.json"],
    [
      "has its manifest too deep",
      buildZip([{ name: "a/b/manifest.json", content: "{}" }]),
      "no manifest.json",
    ],
    ["has a manifest that is no JSON", buildZip([{ name: "manifest.json", content: "{" }]), "not valid JSON"],
    ["has a manifest of another kind", buildZip([{ name: "manifest.json", content: "[]" }]), "not valid"],
    ["has a manifest of version 1", extensionZip({ manifest_version: 1 }), "manifest_version"],
    ["has no name", extensionZip({ name: undefined }), "name"],
    ["has no version", extensionZip({ version: "one" }), "version"],
    [
      "has a script for nothing",
      extensionZip({ content_scripts: [{ matches: [] }] }),
      "content_scripts.0.matches",
    ],
    [
      "has a pattern that is none",
      extensionZip({ content_scripts: [{ matches: ["example.com"], js: [] }] }),
      "content_scripts.0.matches.0",
    ],
    ["lacks a script", extensionZip({ content_scripts: [script] }), "a.js"],
    ["leads out", buildZip([{ name: "../manifest.json", content: "{}" }]), "leads out"],
    ["is a bomb", buildZip([{ name: "manifest.json", content: "{}", size: 200 * 1024 * 1024 }]), "allowed"],
  ])("is refused when it %s", async (_, zip, message) => {
    const opening = openExtension(zip);
    await expect(opening).rejects.toMatchObject({ code: "bad_request", problems: [{ field: "file" }] });
    await expect(opening).rejects.toThrow(message);
  });

  it("may have lines of comment in its manifest", async () => {
    const content = `// a comment\n${JSON.stringify(manifest())}`;
    const { manifest: read } = await openExtension(buildZip([{ name: "manifest.json", content }]));
    expect(read.version).toBe("1.0");
  });
});

describe("what does not run", () => {
  it.each<[object, string[]]>([
    [{}, []],
    [{ content_scripts: [script], permissions: ["storage", "activeTab", "https://*/*", "<all_urls>"] }, []],
    [{ background: { service_worker: "b.js" } }, ["background"]],
    [{ action: { default_popup: "p.html" }, options_page: "o.html" }, ["action", "options_page"]],
    [{ permissions: ["storage", "webRequest", "tabs"] }, ["permissions.webRequest", "permissions.tabs"]],
    [{ declarative_net_request: {}, default_locale: "en" }, ["declarative_net_request", "default_locale"]],
  ])("of %j is %j", (fields, features) => {
    const unsupported = listUnsupported(manifestSchema.parse(manifest(fields)));
    expect(unsupported.map(({ feature }) => feature)).toEqual(features);
    for (const { reason } of unsupported) expect(reason).not.toBe("");
  });
});
