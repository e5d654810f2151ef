import { describe, expect, it, vi } from "vitest";
import { ZippedFiles } from "../../../../src/platform/dynamic-workers/runtime/bundling/app-files.ts";
import {
  isModuleByPackage,
  resolveModule,
} from "../../../../src/platform/dynamic-workers/runtime/bundling/module-resolution.ts";
import { joinPaths } from "../../../../src/platform/dynamic-workers/runtime/bundling/paths.ts";
import { buildZip } from "../../../lib/archives/zip-builder.ts";

/** @param contents JSON by path; undefined for files whose content does not matter. */
function filesOf(
  contents: Record<string, object | undefined>,
  symlinks: Record<string, string> = {},
): Promise<ZippedFiles> {
  const files = Object.entries(contents).map(([name, json]) => ({
    name,
    content: JSON.stringify(json ?? ""),
  }));
  const links = Object.entries(symlinks).map(([name, content]) => ({ name, content, mode: 0o120777 }));
  return ZippedFiles.open(buildZip([...files, ...links]));
}

async function resolve(
  contents: Record<string, object | undefined>,
  specifier: string,
  { from = "", isRequire = false } = {},
): Promise<string | undefined> {
  const found = await resolveModule(await filesOf(contents), { specifier, directory: from, isRequire });
  return typeof found === "object" ? found.path : found;
}

const ANY_CONTENT = undefined;

describe("relative specifiers", () => {
  const files = {
    "a.ts": ANY_CONTENT,
    "b.tsx": ANY_CONTENT,
    "data.json": ANY_CONTENT,
    "both.js": ANY_CONTENT,
    "both.ts": ANY_CONTENT,
    "module.mts": ANY_CONTENT,
    "lib/index.ts": ANY_CONTENT,
    "lib/deep/c.js": ANY_CONTENT,
    "main/package.json": { main: "./start" },
    "main/start.js": ANY_CONTENT,
    "name.with.dots.ts": ANY_CONTENT,
  };
  it.each([
    ["./a", "", "a.ts"],
    ["./a.ts", "", "a.ts"],
    ["./a.js", "", "a.ts"],
    ["./b", "", "b.tsx"],
    ["./b.jsx", "", "b.tsx"],
    ["./module.mjs", "", "module.mts"],
    ["./data.json", "", "data.json"],
    ["./both.js", "", "both.js"],
    ["./both", "", "both.ts"],
    ["./lib", "", "lib/index.ts"],
    ["./lib/", "", "lib/index.ts"],
    [".", "lib", "lib/index.ts"],
    ["..", "lib/deep", "lib/index.ts"],
    ["./deep/c", "lib", "lib/deep/c.js"],
    ["../../a", "lib/deep", "a.ts"],
    ["/a", "lib", "a.ts"],
    ["./main", "", "main/start.js"],
    ["./name.with.dots", "", "name.with.dots.ts"],
    ["./none", "", undefined],
    ["./a/none", "", undefined],
  ])("resolves %s in %j to %s", async (specifier, from, path) => {
    expect(await resolve(files, specifier, { from })).toBe(path);
  });
});

/** A package with a manifest, and files whose content does not matter. */
function packageOf(name: string, manifest: object | undefined, ...paths: string[]) {
  const files = Object.fromEntries(paths.map((path) => [`node_modules/${name}/${path}`, ANY_CONTENT]));
  return manifest === undefined ? files : { ...files, [`node_modules/${name}/package.json`]: manifest };
}

describe("packages", () => {
  const conditions = { node: "./n.js", workerd: "./w.js", default: "./d.js" };
  const notExported = packageOf("p", { exports: { ".": "./i.js" } }, "i.js", "secret.js");
  it.each([
    ["the entry of the manifest", packageOf("p", { main: "lib/m.js" }, "lib/m.js"), "p", "p/lib/m.js"],
    ["an entry without its extension", packageOf("p", { main: "lib/m" }, "lib/m.js"), "p", "p/lib/m.js"],
    [
      "the module entry before main",
      packageOf("p", { main: "m.js", module: "e.js" }, "m.js", "e.js"),
      "p",
      "p/e.js",
    ],
    ["an index file without an entry", packageOf("p", {}, "index.js"), "p", "p/index.js"],
    ["a package without a manifest", packageOf("p", undefined, "index.js"), "p", "p/index.js"],
    ["a scoped package", packageOf("@s/p", { main: "m.js" }, "m.js"), "@s/p", "@s/p/m.js"],
    ["a file of the package", packageOf("p", {}, "lib/f.js"), "p/lib/f", "p/lib/f.js"],
    ["an export", packageOf("p", { exports: { "./f": "./dist/f.js" } }, "dist/f.js"), "p/f", "p/dist/f.js"],
    ["undefined for a file that is not exported", notExported, "p/secret.js", undefined],
    [
      "the workerd export",
      packageOf("p", { exports: { ".": conditions } }, "n.js", "w.js", "d.js"),
      "p",
      "p/w.js",
    ],
    ["undefined for a missing export", packageOf("p", { exports: "./gone.js" }), "p", undefined],
    ["undefined for a missing package", {}, "p", undefined],
  ])("resolve to %s", async (_, files, specifier, path) => {
    expect(await resolve(files, specifier)).toBe(path && `node_modules/${path}`);
  });

  it("can have different exports for import and require", async () => {
    const files = packageOf("p", { exports: { import: "./i.mjs", require: "./r.cjs" } }, "i.mjs", "r.cjs");
    expect(await resolve(files, "p")).toBe("node_modules/p/i.mjs");
    expect(await resolve(files, "p", { isRequire: true })).toBe("node_modules/p/r.cjs");
  });

  it("can have different entries for import and require, with a fallback to the one that exists", async () => {
    const files = {
      ...packageOf("p", { main: "m.js", module: "e.js" }, "m.js", "e.js"),
      ...packageOf("q", { main: "gone.js", module: "e.js" }, "e.js"),
    };
    expect(await resolve(files, "p")).toBe("node_modules/p/e.js");
    expect(await resolve(files, "p", { isRequire: true })).toBe("node_modules/p/m.js");
    expect(await resolve(files, "q", { isRequire: true })).toBe("node_modules/q/e.js");
  });

  it.each([
    ["p", "", "node_modules/p/index.js"],
    ["p/lib/f", "", "node_modules/p/lib/f.js"],
    ["./f", "node_modules/p/lib", "node_modules/p/lib/f.js"],
    ["./f.ts", "node_modules/p/lib", "node_modules/p/lib/f.ts"],
    ["./only", "node_modules/p/lib", "node_modules/p/lib/only.ts"],
    ["./only.js", "node_modules/p/lib", "node_modules/p/lib/only.ts"],
    ["./my_node_modules/f", "", "my_node_modules/f.ts"],
  ])("prefer compiled files over sources: %s in %j is %s", async (specifier, from, path) => {
    const files = Object.fromEntries(
      ["node_modules/p/index", "node_modules/p/lib/f", "my_node_modules/f"].flatMap((stem) => [
        [`${stem}.ts`, ANY_CONTENT],
        [`${stem}.js`, ANY_CONTENT],
      ]),
    );
    files["node_modules/p/lib/only.ts"] = ANY_CONTENT;
    expect(await resolve(files, specifier, { from })).toBe(path);
  });

  it("resolve to the nearest of the same name", async () => {
    const files = {
      "node_modules/p/index.js": ANY_CONTENT,
      "node_modules/q/index.js": ANY_CONTENT,
      "node_modules/q/node_modules/p/index.js": ANY_CONTENT,
    };
    expect(await resolve(files, "p")).toBe("node_modules/p/index.js");
    expect(await resolve(files, "p", { from: "src/deep" })).toBe("node_modules/p/index.js");
    expect(await resolve(files, "p", { from: "node_modules/q/lib" })).toBe(
      "node_modules/q/node_modules/p/index.js",
    );
  });

  it("resolve their own imports", async () => {
    const files = {
      ...packageOf("p", { imports: { "#a": "./lib/a.js", "#q": "q", "#loop": "#loop" } }, "lib/a.js"),
      ...packageOf("q", undefined, "index.js"),
    };
    const from = "node_modules/p/lib";
    expect(await resolve(files, "#a", { from })).toBe("node_modules/p/lib/a.js");
    expect(await resolve(files, "#q", { from })).toBe("node_modules/q/index.js");
    expect(await resolve(files, "#none", { from })).toBeUndefined();
    expect(await resolve(files, "#loop", { from })).toBeUndefined();
  });
});

describe("the browser field", () => {
  const browser = { "./main.js": "./browser.js", "./lib/node.js": false, fs: false, q: "./q-shim.js" };
  const files = {
    ...packageOf("p", { main: "main.js", browser }, "main.js", "browser.js", "lib/node.js", "q-shim.js"),
    ...packageOf("q", undefined, "index.js"),
  };
  const from = "node_modules/p/lib";
  it.each([
    ["replaces the entry", "p", "", "node_modules/p/browser.js"],
    ["excludes a file", "./node", from, "empty"],
    ["excludes a module", "fs", from, "empty"],
    ["replaces another package", "q", from, "node_modules/p/q-shim.js"],
    ["does not affect other packages", "q", "", "node_modules/q/index.js"],
  ])("%s", async (_, specifier, directory, path) => {
    expect(await resolve(files, specifier, { from: directory })).toBe(path);
  });

  it("can be the entry", async () => {
    const entries = packageOf("p", { main: "main.js", browser: "browser.js" }, "main.js", "browser.js");
    expect(await resolve(entries, "p")).toBe("node_modules/p/browser.js");
  });
});

describe("symlinks", () => {
  const pnpm = "node_modules/.pnpm";
  const files = {
    "src/lib/a.ts": ANY_CONTENT,
    "src/lib/index.ts": ANY_CONTENT,
    "packages/own/package.json": { main: "src/main" },
    "packages/own/src/main.ts": ANY_CONTENT,
    "packages/own/src/main.js": ANY_CONTENT,
    [`${pnpm}/p@1/node_modules/p/package.json`]: { exports: "./p.js", browser: { "./b.js": "./p.js" } },
    [`${pnpm}/p@1/node_modules/p/p.js`]: ANY_CONTENT,
    [`${pnpm}/p@1/node_modules/p/b.js`]: ANY_CONTENT,
    [`${pnpm}/q@1/node_modules/q/index.js`]: ANY_CONTENT,
  };
  const symlinks = {
    lib: "src/lib",
    "file.ts": "lib/a.ts",
    "src/up": "..",
    "loop/a": "b",
    "loop/b": "a",
    "loop/self": "self/self",
    "node_modules/own": "../packages/own",
    "node_modules/p": ".pnpm/p@1/node_modules/p",
    [`${pnpm}/p@1/node_modules/q`]: "../../q@1/node_modules/q",
    outside: "../elsewhere",
    absolute: "/src/lib",
  };
  it.each([
    ["./lib", "", "src/lib/index.ts"],
    ["./lib/a", "", "src/lib/a.ts"],
    ["./file", "", "src/lib/a.ts"],
    ["./up/up/lib/a", "src", undefined],
    ["./up/src/up/lib/a", "src", "src/lib/a.ts"],
    ["own", "src", "packages/own/src/main.js"],
    ["p", "", `${pnpm}/p@1/node_modules/p/p.js`],
    ["q", "", undefined],
    ["q", `${pnpm}/p@1/node_modules/p`, `${pnpm}/q@1/node_modules/q/index.js`],
    ["./node_modules/p/b.js", "", `${pnpm}/p@1/node_modules/p/p.js`],
    ["./loop/a", "", undefined],
    ["./loop/self/a", "", undefined],
    ["./outside/a", "", undefined],
    ["./absolute/a", "", undefined],
  ])("resolve %s in %j to %s", async (specifier, directory, path) => {
    const found = await resolveModule(await filesOf(files, symlinks), {
      specifier,
      directory,
      isRequire: false,
    });
    expect(found).toEqual(path && { path });
  });

  it("are followed by every method of the files", async () => {
    const zipped = await filesOf(
      { "real/data.json": { a: 1 } },
      { link: "real", "top.json": "link/data.json" },
    );
    zipped.add("link/added.js", "added");
    expect(zipped.has("top.json")).toBe(true);
    expect(zipped.has("none.json")).toBe(false);
    expect(await zipped.read("link/data.json")).toBe('{"a":1}');
    expect(await zipped.readJson("top.json")).toEqual({ a: 1 });
    expect(await zipped.read("real/added.js")).toBe("added");
    expect(zipped.realPath("link/none.js")).toBe("real/none.js");
  });
});

it.each([
  ["a.ts", { type: "module" }, true],
  ["a.jsx", { type: "module" }, true],
  ["src/deep/a.js", { type: "module" }, true],
  ["a.js", { type: "commonjs" }, false],
  ["a.js", {}, false],
  ["a.mjs", { type: "module" }, false],
  ["a.cts", { type: "module" }, false],
  ["a.json", { type: "module" }, false],
  ["node_modules/p/lib/a.js", { type: "module" }, false],
  ["node_modules/esm/lib/a.js", {}, true],
  ["node_modules/none/a.js", { type: "module" }, false],
])("derives the module type of %s from its package, with the app as %j", async (path, manifest, isModule) => {
  const files = await filesOf({
    "package.json": manifest,
    "node_modules/p/package.json": {},
    "node_modules/esm/package.json": { type: "module" },
  });
  expect(await isModuleByPackage(files, path)).toBe(isModule);
});

it("stops at circular packages", async () => {
  const files = {
    "package.json": { browser: { p: "q", q: "p" }, imports: { "#a": "#b", "#b": "#a" } },
    "circle/package.json": { main: "./inner" },
    "circle/inner/package.json": { main: ".." },
  };
  expect(await resolve(files, "p")).toBeUndefined();
  expect(await resolve(files, "#a")).toBeUndefined();
  expect(await resolve(files, "./circle")).toBeUndefined();
});

it("reads each manifest once for any number of imports", async () => {
  const files = await filesOf({ "package.json": {}, ...packageOf("p", { main: "m.js" }, "m.js") });
  const read = vi.spyOn(files, "read");
  const request = { specifier: "p", directory: "src", isRequire: false };
  await Promise.all(Array.from({ length: 20 }, () => resolveModule(files, request)));
  expect(await resolveModule(files, request)).toEqual({ path: "node_modules/p/m.js" });
  expect(read.mock.calls).toEqual([["package.json"], ["node_modules/p/package.json"]]);
});

it.each([
  ["", "./a", "a"],
  ["lib", "../a", "a"],
  ["lib", "../../../a", "a"],
  ["lib", "/a/b/", "a/b"],
  ["lib/", "", "lib"],
])("joins %j and %j into %j", (directory, path, joined) => {
  expect(joinPaths(directory, path)).toBe(joined);
});
