import { lookUp } from "durable-machine/look-up";
import { matchesGlob } from "../../lib/common/glob.ts";
import type { BrowserExtension, ContentScript, TreeFile } from "../../platform/browser/index.ts";
import { normalizePath, openExtension, type UnpackedExtension } from "./extension-zip.ts";

/** More would slow down every page. */
const MAX_RESOURCES_BYTES = 2 * 1024 * 1024;

const CONTENT_TYPES: Record<string, string> = {
  css: "text/css",
  gif: "image/gif",
  html: "text/html",
  jpg: "image/jpeg",
  js: "text/javascript",
  json: "application/json",
  png: "image/png",
  svg: "image/svg+xml",
  webp: "image/webp",
  woff2: "font/woff2",
};

/** @param readZip reads it again whenever its files are needed. @throws Error if the zip is deleted. */
export async function loadExtension(
  id: string,
  readZip: () => Promise<Uint8Array | null>,
): Promise<BrowserExtension> {
  const open = async () => {
    const zip = await readZip();
    if (zip === null) throw new Error(`The zip of extension ${id} is missing`);
    return openExtension(zip);
  };
  const extension = await open();
  const readText = newTextReader(extension);
  return {
    id,
    manifest: extension.manifest,
    contentScripts: await Promise.all(
      extension.manifest.content_scripts.map((script) => toContentScript(readText, script)),
    ),
    resources: await readResources(extension),
    readFiles: async () => toFiles(await open()),
  };
}

function toFiles({ files, read }: UnpackedExtension): TreeFile[] {
  return files.map(({ path }) => ({ path, read: async () => (await read(path)) ?? new Uint8Array() }));
}

async function toContentScript(
  readText: (path: string) => Promise<string>,
  script: UnpackedExtension["manifest"]["content_scripts"][number],
): Promise<ContentScript> {
  const readAll = (paths: string[]) => Promise.all(paths.map(readText));
  return {
    matches: script.matches,
    excludeMatches: script.exclude_matches,
    includeGlobs: script.include_globs,
    excludeGlobs: script.exclude_globs,
    js: await readAll(script.js),
    css: await readAll(script.css),
    runAt: script.run_at,
    allFrames: script.all_frames,
    matchAboutBlank: script.match_about_blank || script.match_origin_as_fallback,
    world: script.world,
  };
}

function newTextReader({ read }: UnpackedExtension): (path: string) => Promise<string> {
  const texts = new Map<string, Promise<string>>();
  return (listed) => {
    const path = normalizePath(listed);
    const known = texts.get(path);
    if (known !== undefined) return known;
    const text = read(path).then((bytes) => new TextDecoder().decode(bytes));
    texts.set(path, text);
    return text;
  };
}

/** Reads web-accessible resources as data URLs, smallest first, up to the limit. */
async function readResources({ manifest, files, read }: UnpackedExtension): Promise<Record<string, string>> {
  const globs = manifest.web_accessible_resources.map(normalizePath);
  const accessible = files
    .filter(({ path }) => globs.some((glob) => matchesGlob(glob, path)))
    .sort((first, second) => first.size - second.size);
  const resources: Record<string, string> = {};
  let remainingBytes = MAX_RESOURCES_BYTES;
  for (const { path, size } of accessible) {
    remainingBytes -= size;
    if (remainingBytes < 0) break;
    const bytes = (await read(path)) ?? new Uint8Array();
    const ending = path.slice(path.lastIndexOf(".") + 1).toLowerCase();
    const type = lookUp(CONTENT_TYPES, ending) ?? "application/octet-stream";
    resources[path] = `data:${type};base64,${bytes.toBase64()}`;
  }
  return resources;
}
