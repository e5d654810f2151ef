import type { BrowserExtension, ContentScript, TreeFile } from "../browser/index.ts";
import { matchesGlob } from "../common/glob.ts";
import { zipKey } from "./extension-files.ts";
import { openExtension, toPath, type UnpackedExtension } from "./extension-zip.ts";

/** What pages may be given of an extension, in all: more would make every page slow. */
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

/**
 * An extension as a browser runs it.
 *
 * @throws Error when its zip is not there any more.
 */
export async function loadExtension(
  files: R2Bucket,
  organizationId: string,
  id: string,
): Promise<BrowserExtension> {
  const open = async () => {
    const zip = await files.get(zipKey(organizationId, id));
    if (zip === null) throw new Error(`The extension ${id} has no file`);
    return openExtension(new Uint8Array(await zip.arrayBuffer()));
  };
  const extension = await open();
  const readText = textReader(extension);
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

/** Reads files as text, each once however often it is listed. */
function textReader({ read }: UnpackedExtension): (path: string) => Promise<string> {
  const texts = new Map<string, Promise<string>>();
  return (listed) => {
    const path = toPath(listed);
    const known = texts.get(path);
    if (known !== undefined) return known;
    const text = read(path).then((bytes) => new TextDecoder().decode(bytes));
    texts.set(path, text);
    return text;
  };
}

/** The files that the manifest lets pages have, the small ones first, as far as there is room for them. */
async function readResources({ manifest, files, read }: UnpackedExtension): Promise<Record<string, string>> {
  const globs = manifest.web_accessible_resources.map(toPath);
  const wanted = files
    .filter(({ path }) => globs.some((glob) => matchesGlob(glob, path)))
    .sort((first, second) => first.size - second.size);
  const resources: Record<string, string> = {};
  let room = MAX_RESOURCES_BYTES;
  for (const { path, size } of wanted) {
    room -= size;
    if (room < 0) break;
    const bytes = (await read(path)) ?? new Uint8Array();
    const ending = path.slice(path.lastIndexOf(".") + 1).toLowerCase();
    const type = CONTENT_TYPES[ending] ?? "application/octet-stream";
    resources[path] = `data:${type};base64,${bytes.toBase64()}`;
  }
  return resources;
}
