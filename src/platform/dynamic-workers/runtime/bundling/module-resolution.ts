import { lookUp as lookUpName } from "durable-machine/look-up";
import { exports as findExports, imports as findImports } from "resolve.exports";
import { isRecord } from "../../../../lib/common/is-record.ts";
import type { AppFiles } from "./app-files.ts";
import { directoryOf, joinPaths } from "./paths.ts";

/** As in wrangler. */
const CONDITIONS = ["workerd", "worker", "browser", "module"];

const ENTRY_FIELDS = {
  import: ["browser", "module", "main"],
  require: ["browser", "main", "module"],
};

const TYPESCRIPT = [".ts", ".tsx", ".mts", ".cts"];
const JAVASCRIPT = [".js", ".jsx", ".mjs", ".cjs"];
const EXTENSIONS = [...TYPESCRIPT, ...JAVASCRIPT, ".json"];

/** Published TypeScript sources may need an unpublished tsconfig.json, so compiled files come first. */
const PUBLISHED_EXTENSIONS = [...JAVASCRIPT, ...TYPESCRIPT, ".json"];

/** TypeScript sources may import each other by the names of the compiled files. */
const SOURCE_EXTENSIONS: Record<string, string[]> = {
  ".js": [".ts", ".tsx"],
  ".jsx": [".tsx"],
  ".mjs": [".mts"],
  ".cjs": [".cts"],
};

export interface ImportRequest {
  specifier: string;
  /** The folder of the importing file; empty for the root of the app. */
  directory: string;
  isRequire: boolean;
}

/** `empty`: the package's `browser` field replaces it with nothing. */
export type ResolvedModule = { path: string } | "empty";

interface PackageFolder {
  directory: string;
  manifest: Record<string, unknown>;
}

export async function resolveModule(
  files: AppFiles,
  request: ImportRequest,
): Promise<ResolvedModule | undefined> {
  const { specifier, directory } = request;
  if (isPath(specifier)) {
    return replaceFile(files, await resolveFile(files, joinPaths(directory, specifier)));
  }
  const importer = await findPackage(files, directory);
  if (importer && specifier.startsWith("#")) return resolveInternal(files, request, importer);
  const replacement = importer && browserMap(importer)[specifier];
  if (replacement === false) return "empty";
  if (importer && replacement !== undefined && isPath(replacement)) {
    return toModule(await resolveFile(files, joinPaths(importer.directory, replacement)));
  }
  const mapped = { ...request, specifier: replacement ?? specifier };
  return replaceFile(files, await resolveInPackages(files, mapped));
}

function toModule(path: string | undefined): ResolvedModule | undefined {
  return path === undefined ? undefined : { path };
}

async function resolveInternal(
  files: AppFiles,
  request: ImportRequest,
  { directory, manifest }: PackageFolder,
): Promise<ResolvedModule | undefined> {
  const targets = lookUp(() => findImports(manifest, request.specifier, conditionsOf(request)));
  for (const specifier of targets) {
    if (specifier.startsWith("#")) continue;
    const found = await resolveModule(files, { ...request, specifier, directory });
    if (found !== undefined) return found;
  }
  return undefined;
}

async function resolveInPackages(files: AppFiles, request: ImportRequest): Promise<string | undefined> {
  const [, name = "", subpath = ""] = /^((?:@[^/]+\/)?[^/]+)\/?(.*)$/s.exec(request.specifier) ?? [];
  for (const ancestor of ancestorsOf(request.directory)) {
    const directory = joinPaths(ancestor, `node_modules/${name}`);
    const manifest = await readManifest(files, directory);
    const found =
      manifest === undefined
        ? await resolveFile(files, joinPaths(directory, subpath))
        : await resolveInPackage(files, { directory, manifest }, subpath, request);
    if (found !== undefined) return found;
  }
  return undefined;
}

async function resolveInPackage(
  files: AppFiles,
  { directory, manifest }: PackageFolder,
  subpath: string,
  request: ImportRequest,
): Promise<string | undefined> {
  if (manifest.exports !== undefined && manifest.exports !== null) {
    const targets = lookUp(() =>
      findExports(manifest, subpath === "" ? "." : `./${subpath}`, conditionsOf(request)),
    );
    return findFile(
      files,
      targets.map((target) => joinPaths(directory, target)),
    );
  }
  if (subpath !== "") return resolveFile(files, joinPaths(directory, subpath));
  const fields = ENTRY_FIELDS[request.isRequire ? "require" : "import"];
  for (const entry of fields.map((field) => manifest[field])) {
    const path =
      typeof entry === "string" ? await resolveFile(files, joinPaths(directory, entry)) : undefined;
    if (path !== undefined) return path;
  }
  return resolveIndex(files, directory);
}

async function resolveFile(files: AppFiles, path: string): Promise<string | undefined> {
  const file = completeFile(files, path);
  if (file !== undefined) return file;
  const manifest = await readManifest(files, path);
  const main = typeof manifest?.main === "string" ? joinPaths(path, manifest.main) : path;
  return completeFile(files, main) ?? resolveIndex(files, main);
}

function completeFile(files: AppFiles, path: string): string | undefined {
  const [ending = ""] = /\.\w+$/.exec(path) ?? [];
  const stem = path.slice(0, path.length - ending.length);
  const sources = (lookUpName(SOURCE_EXTENSIONS, ending) ?? []).map((extension) => stem + extension);
  const completed = extensionsAt(path).map((extension) => path + extension);
  return findFile(files, [path, ...sources, ...completed]);
}

function resolveIndex(files: AppFiles, directory: string): string | undefined {
  const extensions = extensionsAt(directory);
  return findFile(
    files,
    extensions.map((extension) => joinPaths(directory, `index${extension}`)),
  );
}

function extensionsAt(path: string): string[] {
  return /(^|\/)node_modules\//.test(path) ? PUBLISHED_EXTENSIONS : EXTENSIONS;
}

/** Symlinks are resolved, so that each file has one path, from which its imports are resolved. */
function findFile(files: AppFiles, candidates: string[]): string | undefined {
  const found = candidates.find((path) => files.has(path));
  return found === undefined ? undefined : files.realPath(found);
}

async function replaceFile(files: AppFiles, path: string | undefined): Promise<ResolvedModule | undefined> {
  if (path === undefined) return undefined;
  const owner = await findPackage(files, directoryOf(path));
  if (owner === undefined) return { path };
  const inside = `./${owner.directory === "" ? path : path.slice(owner.directory.length + 1)}`;
  const map = browserMap(owner);
  const replacement = map[inside] ?? map[inside.replace(/\.js$/, "")];
  if (replacement === false) return "empty";
  const replaced = replacement && (await resolveFile(files, joinPaths(owner.directory, replacement)));
  return { path: replaced || path };
}

function browserMap({ manifest }: PackageFolder): Record<string, string | false | undefined> {
  const { browser } = manifest;
  if (!isRecord(browser)) return {};
  const entries = Object.entries(browser).filter(
    (entry): entry is [string, string | false] => typeof entry[1] === "string" || entry[1] === false,
  );
  return Object.fromEntries(entries);
}

export async function isModuleByPackage(files: AppFiles, path: string): Promise<boolean> {
  if (!/\.[jt]sx?$/.test(path)) return false;
  const owner = await findPackage(files, directoryOf(path));
  return owner?.manifest.type === "module";
}

/** A package without a manifest does not belong to the package around it. */
async function findPackage(files: AppFiles, directory: string): Promise<PackageFolder | undefined> {
  for (const ancestor of ancestorsOf(directory)) {
    if (/(^|\/)node_modules$/.test(ancestor)) return undefined;
    const manifest = await readManifest(files, ancestor);
    if (manifest !== undefined) return { directory: ancestor, manifest };
  }
  return undefined;
}

async function readManifest(
  files: AppFiles,
  directory: string,
): Promise<Record<string, unknown> | undefined> {
  const manifest = await files.readJson(joinPaths(directory, "package.json"));
  return isRecord(manifest) ? manifest : undefined;
}

function conditionsOf({ isRequire }: ImportRequest) {
  return { conditions: [...CONDITIONS, isRequire ? "require" : "import"], unsafe: true };
}

/** `resolve.exports` throws if it finds nothing. */
function lookUp(find: () => unknown): string[] {
  try {
    const found = find();
    return Array.isArray(found) ? found : [];
  } catch {
    return [];
  }
}

function ancestorsOf(directory: string): string[] {
  const names = directory.split("/").filter((name) => name !== "");
  return Array.from({ length: names.length + 1 }, (_, index) =>
    names.slice(0, names.length - index).join("/"),
  );
}

function isPath(specifier: string): boolean {
  return /^(\.{0,2}\/|\.{1,2}$)/.test(specifier);
}
