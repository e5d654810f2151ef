import { describe, expect, it, vi } from "vitest";
import { ZippedFiles } from "../../../src/dynamic-workers/runtime/bundling/app-files.ts";
import {
  isModuleByPackage,
  resolveModule,
} from "../../../src/dynamic-workers/runtime/bundling/module-resolution.ts";
import { joinPaths } from "../../../src/dynamic-workers/runtime/bundling/paths.ts";
import { buildZip } from "../../archives/zip-builder.ts";

/** Files by their paths; manifests as objects, whatever else as nothing. Symlinks by theirs, with their targets. */
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

const nothing = undefined;

describe("paths", () => {
  const files = {
    "a.ts": nothing,
    "b.tsx": nothing,
    "data.json": nothing,
    "both.js": nothing,
    "both.ts": nothing,
    "module.mts": nothing,
    "lib/index.ts": nothing,
    "lib/deep/c.js": nothing,
    "main/package.json": { main: "./start" },
    "main/start.js": nothing,
    "name.with.dots.ts": nothing,
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
  ])("%s in %j is %s", async (specifier, from, path) => {
    expect(await resolve(files, specifier, { from })).toBe(path);
  });
});

describe("packages", () => {
  it.each<[string, Record<string, object | undefined>, string, string | undefined]>([
    [
      "the entry of its manifest",
      { "node_modules/p/package.json": { main: "lib/m.js" }, "node_modules/p/lib/m.js": nothing },
      "p",
      "node_modules/p/lib/m.js",
    ],
    [
      "an entry without its ending",
      { "node_modules/p/package.json": { main: "lib/m" }, "node_modules/p/lib/m.js": nothing },
      "p",
      "node_modules/p/lib/m.js",
    ],
    [
      "the one for modules first",
      {
        "node_modules/p/package.json": { main: "m.js", module: "e.js" },
        "node_modules/p/m.js": nothing,
        "node_modules/p/e.js": nothing,
      },
      "p",
      "node_modules/p/e.js",
    ],
    [
      "an index without an entry",
      { "node_modules/p/package.json": {}, "node_modules/p/index.js": nothing },
      "p",
      "node_modules/p/index.js",
    ],
    ["a package without a manifest", { "node_modules/p/index.js": nothing }, "p", "node_modules/p/index.js"],
    [
      "a scope",
      { "node_modules/@s/p/package.json": { main: "m.js" }, "node_modules/@s/p/m.js": nothing },
      "@s/p",
      "node_modules/@s/p/m.js",
    ],
    [
      "a file of it",
      { "node_modules/p/package.json": {}, "node_modules/p/lib/f.js": nothing },
      "p/lib/f",
      "node_modules/p/lib/f.js",
    ],
    [
      "an export",
      {
        "node_modules/p/package.json": { exports: { "./f": "./dist/f.js" } },
        "node_modules/p/dist/f.js": nothing,
      },
      "p/f",
      "node_modules/p/dist/f.js",
    ],
    [
      "no file that it does not export",
      {
        "node_modules/p/package.json": { exports: { ".": "./i.js" } },
        "node_modules/p/i.js": nothing,
        "node_modules/p/secret.js": nothing,
      },
      "p/secret.js",
      undefined,
    ],
    [
      "an export for Workers",
      {
        "node_modules/p/package.json": {
          exports: { ".": { node: "./n.js", workerd: "./w.js", default: "./d.js" } },
        },
        "node_modules/p/n.js": nothing,
        "node_modules/p/w.js": nothing,
        "node_modules/p/d.js": nothing,
      },
      "p",
      "node_modules/p/w.js",
    ],
    [
      "an export that is not there",
      { "node_modules/p/package.json": { exports: "./gone.js" } },
      "p",
      undefined,
    ],
    ["no package", {}, "p", undefined],
  ])("%s", async (_, files, specifier, path) => {
    expect(await resolve(files, specifier)).toBe(path);
  });

  it("has one export for import and another for require", async () => {
    const files = {
      "node_modules/p/package.json": { exports: { import: "./i.mjs", require: "./r.cjs" } },
      "node_modules/p/i.mjs": nothing,
      "node_modules/p/r.cjs": nothing,
    };
    expect(await resolve(files, "p")).toBe("node_modules/p/i.mjs");
    expect(await resolve(files, "p", { isRequire: true })).toBe("node_modules/p/r.cjs");
  });

  it("has one entry for import and another for require, whichever are there", async () => {
    const files = {
      "node_modules/p/package.json": { main: "m.js", module: "e.js" },
      "node_modules/p/m.js": nothing,
      "node_modules/p/e.js": nothing,
      "node_modules/q/package.json": { main: "gone.js", module: "e.js" },
      "node_modules/q/e.js": nothing,
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
  ])("is what its sources were compiled to: %s in %j is %s", async (specifier, from, path) => {
    const files = Object.fromEntries(
      ["node_modules/p/index", "node_modules/p/lib/f", "my_node_modules/f"].flatMap((stem) => [
        [`${stem}.ts`, nothing],
        [`${stem}.js`, nothing],
      ]),
    );
    files["node_modules/p/lib/only.ts"] = nothing;
    expect(await resolve(files, specifier, { from })).toBe(path);
  });

  it("is the nearest of those that have the name", async () => {
    const files = {
      "node_modules/p/index.js": nothing,
      "node_modules/q/index.js": nothing,
      "node_modules/q/node_modules/p/index.js": nothing,
    };
    expect(await resolve(files, "p")).toBe("node_modules/p/index.js");
    expect(await resolve(files, "p", { from: "src/deep" })).toBe("node_modules/p/index.js");
    expect(await resolve(files, "p", { from: "node_modules/q/lib" })).toBe(
      "node_modules/q/node_modules/p/index.js",
    );
  });

  it("has imports of its own", async () => {
    const files = {
      "node_modules/p/package.json": { imports: { "#a": "./lib/a.js", "#q": "q", "#loop": "#loop" } },
      "node_modules/p/lib/a.js": nothing,
      "node_modules/q/index.js": nothing,
    };
    const from = "node_modules/p/lib";
    expect(await resolve(files, "#a", { from })).toBe("node_modules/p/lib/a.js");
    expect(await resolve(files, "#q", { from })).toBe("node_modules/q/index.js");
    expect(await resolve(files, "#none", { from })).toBeUndefined();
    expect(await resolve(files, "#loop", { from })).toBeUndefined();
  });
});

describe("what a package has for other places than Node", () => {
  const files = {
    "node_modules/p/package.json": {
      main: "main.js",
      browser: { "./main.js": "./browser.js", "./lib/node.js": false, fs: false, q: "./q-shim.js" },
    },
    "node_modules/p/main.js": nothing,
    "node_modules/p/browser.js": nothing,
    "node_modules/p/lib/node.js": nothing,
    "node_modules/p/q-shim.js": nothing,
    "node_modules/q/index.js": nothing,
  };
  const from = "node_modules/p/lib";
  it.each([
    ["its entry", "p", "", "node_modules/p/browser.js"],
    ["a file that there is nothing of", "./node", from, "empty"],
    ["a module that there is nothing of", "fs", from, "empty"],
    ["a package in whose place it has a file", "q", from, "node_modules/p/q-shim.js"],
    ["that package for others", "q", "", "node_modules/q/index.js"],
  ])("%s", async (_, specifier, directory, path) => {
    expect(await resolve(files, specifier, { from: directory })).toBe(path);
  });

  it("may be an entry", async () => {
    const entries = {
      "node_modules/p/package.json": { main: "main.js", browser: "browser.js" },
      "node_modules/p/main.js": nothing,
      "node_modules/p/browser.js": nothing,
    };
    expect(await resolve(entries, "p")).toBe("node_modules/p/browser.js");
  });
});

describe("symlinks", () => {
  const pnpm = "node_modules/.pnpm";
  const files = {
    "src/lib/a.ts": nothing,
    "src/lib/index.ts": nothing,
    "packages/own/package.json": { main: "src/main" },
    "packages/own/src/main.ts": nothing,
    "packages/own/src/main.js": nothing,
    [`${pnpm}/p@1/node_modules/p/package.json`]: { exports: "./p.js", browser: { "./b.js": "./p.js" } },
    [`${pnpm}/p@1/node_modules/p/p.js`]: nothing,
    [`${pnpm}/p@1/node_modules/p/b.js`]: nothing,
    [`${pnpm}/q@1/node_modules/q/index.js`]: nothing,
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
  ])("lead from %s in %j to %s", async (specifier, directory, path) => {
    const found = await resolveModule(await filesOf(files, symlinks), {
      specifier,
      directory,
      isRequire: false,
    });
    expect(found).toEqual(path && { path });
  });

  it("are followed in whatever is asked of the files", async () => {
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
])("knows what %s is by its package, with the app as %j", async (path, manifest, isModule) => {
  const files = await filesOf({
    "package.json": manifest,
    "node_modules/p/package.json": {},
    "node_modules/esm/package.json": { type: "module" },
  });
  expect(await isModuleByPackage(files, path)).toBe(isModule);
});

it("ends where packages lead in circles", async () => {
  const files = {
    "package.json": { browser: { p: "q", q: "p" }, imports: { "#a": "#b", "#b": "#a" } },
    "circle/package.json": { main: "./inner" },
    "circle/inner/package.json": { main: ".." },
  };
  expect(await resolve(files, "p")).toBeUndefined();
  expect(await resolve(files, "#a")).toBeUndefined();
  expect(await resolve(files, "./circle")).toBeUndefined();
});

it("reads each manifest once, however many imports lead there", async () => {
  const files = await filesOf({
    "package.json": {},
    "node_modules/p/package.json": { main: "m.js" },
    "node_modules/p/m.js": nothing,
  });
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
])("joins %j and %j to %j", (directory, path, joined) => {
  expect(joinPaths(directory, path)).toBe(joined);
});
