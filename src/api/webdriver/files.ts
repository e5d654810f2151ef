import { toLazyStream } from "durable-machine/lazy-stream";
import { z } from "zod";
import { toAnswer, WebDriverError } from "../../features/webdriver/index.ts";
import type { ArchiveEntry } from "../../lib/archives/archive-entry.ts";
import { writeZip } from "../../lib/archives/zip-writer.ts";
import { concatenate } from "../../lib/common/concatenate.ts";
import { unwrap } from "../../lib/common/outcome.ts";
import { DOWNLOADS_DIRECTORY } from "../../platform/browser/index.ts";
import { type OpenFiles, type StreamedFile, withStaging } from "../files/index.ts";

const UPLOADS_DIRECTORY = "/tmp/uploads";

/** The most that may precede the file's content. */
const MAX_HEAD_LENGTH = 1024;

const FILE_MODE = 0o644;

const textSchema = z.string();

/** Unpacks a client's file. @param body `{"file": "…"}`: a zip of one file in Base64. @returns the path. */
export async function receiveFile(open: OpenFiles, body: ReadableStream<Uint8Array>): Promise<string> {
  const directory = `${UPLOADS_DIRECTORY}/${crypto.randomUUID()}`;
  const { readable, writable } = new IdentityTransformStream();
  const zip: StreamedFile = { body: readable, failure: undefined };
  const decoded = decodeFile(body, (failure) => {
    zip.failure = failure;
  });
  const decoding = toLazyStream(decoded).pipeTo(writable);
  decoding.catch(() => undefined);
  await withStaging(open, async ({ stage }) => {
    const staged = await stage(zip);
    await decoding;
    unwrap(await open().unzip(staged, directory));
  });
  const entries = unwrap(await open().list(directory));
  const [file] = entries;
  if (file !== undefined && entries.length === 1) return file.path;
  unwrap(await open().deleteDirectory(directory));
  throw new WebDriverError(
    "unknown error",
    `Expected there to be only 1 file. There were: ${entries.length}`,
  );
}

/** The downloads of a session, as Selenium Grid lists them. */
export async function listDownloads(open: OpenFiles) {
  const files = (await readDownloads(open)).map(({ name, size_bytes: size, mod_time }) => {
    const lastModifiedTime = Date.parse(mod_time);
    return { name, creationTime: lastModifiedTime, lastModifiedTime, size };
  });
  return { names: files.map(({ name }) => name), files };
}

/** @returns JSON with the file in a zip, generated while it is read. */
export async function sendDownload(open: OpenFiles, name: string): Promise<ReadableStream<Uint8Array>> {
  const { files } = await listDownloads(open);
  const file = files.find((each) => each.name === name);
  if (file === undefined) {
    throw new WebDriverError(
      "unknown error",
      `Cannot find file [${name}] in directory ${DOWNLOADS_DIRECTORY}.`,
    );
  }
  const { size, body } = unwrap(await open().readFile(`${DOWNLOADS_DIRECTORY}/${name}`));
  const modifiedAt = file.lastModifiedTime;
  const entry = { type: "file" as const, path: name, mode: FILE_MODE, modifiedAt, size, content: () => body };
  return toLazyStream(toJSON({ filename: name, file }, writeZip(only(entry))));
}

export async function deleteDownloads(open: OpenFiles): Promise<void> {
  for (const { path, is_dir: isDirectory } of await readDownloads(open)) {
    unwrap(await (isDirectory ? open().deleteDirectory(path) : open().deleteFile(path)));
  }
}

async function readDownloads(open: OpenFiles) {
  const listed = await open().list(DOWNLOADS_DIRECTORY);
  // The first download creates the directory.
  return !listed.ok && listed.error.code === "not_found" ? [] : unwrap(listed);
}

async function* only(entry: ArchiveEntry): AsyncGenerator<ArchiveEntry> {
  yield entry;
}

async function* toJSON(
  value: object,
  contents: ReadableStream<Uint8Array>,
): AsyncGenerator<Uint8Array, void, undefined> {
  const encoder = new TextEncoder();
  const [start = "", end = ""] = toAnswer({ ...value, contents: "\n" }).body.split("\\n");
  yield encoder.encode(start);
  let rest = new Uint8Array();
  for await (const chunk of contents) {
    const bytes = concatenate([rest, chunk]);
    const whole = bytes.length - (bytes.length % 3);
    yield encoder.encode(bytes.subarray(0, whole).toBase64());
    rest = bytes.slice(whole);
  }
  yield encoder.encode(rest.toBase64() + end);
}

/** Decodes the zip as it is read: it may not fit into memory. @param onFailure gets what is wrong with it. */
async function* decodeFile(
  body: ReadableStream<Uint8Array>,
  onFailure: (error: WebDriverError) => void,
): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    let base64 = "";
    for await (const text of readFileField(body)) {
      base64 += text.replaceAll(/\s/g, "");
      const whole = base64.length - (base64.length % 4);
      yield Uint8Array.fromBase64(base64.slice(0, whole));
      base64 = base64.slice(whole);
    }
    yield Uint8Array.fromBase64(base64);
  } catch (error) {
    if (error instanceof SyntaxError) {
      onFailure(new WebDriverError("invalid argument", "file: must be a zip in Base64"));
    }
    throw error;
  }
}

/** @throws SyntaxError unless the body has a text named `file`. */
async function* readFileField(body: ReadableStream<Uint8Array>): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder();
  let place: "before" | "inside" | "after" = "before";
  let json = "";
  for await (const chunk of body) {
    if (place === "after") continue;
    json += decoder.decode(chunk, { stream: true });
    if (place === "before") {
      const [head] = /^.*?"file"\s*:\s*"/s.exec(json) ?? [];
      if (head === undefined && json.length > MAX_HEAD_LENGTH) break;
      if (head === undefined) continue;
      place = "inside";
      json = json.slice(head.length);
    }
    const end = json.indexOf('"');
    if (end >= 0) place = "after";
    // An escape may be incomplete.
    const text = end < 0 ? json.replace(/\\(u.{0,3})?$/, "") : json.slice(0, end);
    json = json.slice(text.length);
    yield textSchema.parse(JSON.parse(`"${text}"`));
  }
  if (place !== "after") throw new SyntaxError("no text named file");
}
