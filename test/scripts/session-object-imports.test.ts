import { existsSync, readFileSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { describe, expect, it } from "vitest";
import { ROOT } from "../../scripts/local/paths.ts";

const IMPORT =
  /^(?:import|export)(?<isType> type)? (?<names>\{[^}]*\}|[^"{]*?)(?: from )?"(?<path>\.[^"]+)";/gm;

/** Modules that send requests or look up names, by the rest of their path. */
const SENDS = [
  "src/platform/network/guarded-fetch.ts",
  "src/platform/network/outgoing-fetch.ts",
  "src/platform/network/resolve.ts",
];

/** Calls whose answers are streamed. */
const STREAMED = /(?<!override )(?<![.\w#])fetch\(|\b(?:FILES|files)\.get\((?!`)/;

/** What the session's object still reads itself, and why that is sound. */
const KNOWN: Record<string, string> = {
  "src/platform/broker/accounts.ts":
    "the browser platform of another account, which also answers with the sockets themselves",
  "src/features/telemetry/archive.ts": "an object only writes archives; routes read them",
};

interface Import {
  names: string[];
  path: string;
}

/** The imports of values. */
function importsOf(file: string): Import[] {
  return [...readFileSync(file, "utf8").matchAll(IMPORT)].flatMap(({ groups = {} }) => {
    const names = (groups.names ?? "")
      .replace(/[{}\n]/g, " ")
      .split(",")
      .map((name) => name.trim())
      .filter((name) => name !== "" && !name.startsWith("type "));
    const path = join(dirname(file), groups.path ?? "");
    return groups.isType !== undefined || names.length === 0 || !existsSync(path) ? [] : [{ names, path }];
  });
}

/** All modules whose code an entry uses. An index stands for the modules of the names imported from it. */
function reachedFrom(entry: string): Map<string, string> {
  const importers = new Map([[entry, ""]]);
  const queue: (readonly [importer: string, imported: Import])[] = importsOf(entry).map(
    (found) => [entry, found] as const,
  );
  for (const [importer, { names, path }] of queue) {
    if (basename(path) === "index.ts") {
      const exported = importsOf(path).map(({ names: all, path: target }) => ({
        names: all.filter((name) => names.includes(name)),
        path: target,
      }));
      queue.push(
        ...exported.filter((part) => part.names.length > 0).map((part) => [importer, part] as const),
      );
    } else if (!importers.has(path)) {
      importers.set(path, importer);
      queue.push(...importsOf(path).map((found) => [path, found] as const));
    }
  }
  return importers;
}

const name = (file: string) => relative(ROOT, file);

/** Faults of a Durable Object's code, with the chain of imports that leads there. */
function faultsOf(entry: string): string[] {
  const importers = reachedFrom(join(ROOT, entry));
  const chain = (file: string): string =>
    file === "" ? "" : `${name(file)} < ${chain(importers.get(file) ?? "")}`;
  return [...importers.keys()]
    .filter((file) => SENDS.includes(name(file)) || STREAMED.test(readFileSync(file, "utf8")))
    .filter((file) => !(name(file) in KNOWN))
    .map(chain);
}

describe("the session's object, whose sockets may not survive the reading of a streamed answer", () => {
  it("leaves what it fetches to OutgoingCalls", () => {
    expect(faultsOf("src/features/sessions/object.ts")).toEqual([]);
  });

  it.each([
    ["src/features/sessions/outgoing-calls.ts", "src/platform/network/guarded-fetch.ts"],
    ["src/features/sessions/outgoing-calls.ts", "src/platform/network/resolve.ts"],
    ["src/features/sessions/outgoing-calls.ts", "src/features/extensions/read-zip.ts"],
    ["src/features/machine/object.ts", "src/platform/network/outgoing-fetch.ts"],
  ])("and the test finds in %s that it reaches %s", (entry, reached) => {
    expect(faultsOf(entry).some((fault) => fault.startsWith(`${reached} <`))).toBe(true);
  });
});
