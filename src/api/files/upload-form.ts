import type { SessionMachine } from "../../features/machine/index.ts";
import { badRequest } from "../../lib/common/errors.ts";
import { unwrap } from "../../lib/common/outcome.ts";
import { type MultipartPart, readPartText } from "../../lib/http/multipart.ts";
import { pathSchema } from "./schema.ts";

const MAX_FIELD_BYTES = 8192;

const MAX_FILES = 1000;

export type OpenFiles = () => ReturnType<DurableObjectStub<SessionMachine>["files"]>;

export interface StreamedFile {
  body: ReadableStream<Uint8Array>;
  /** Why the body was cut off. */
  failure: Error | undefined;
}

const PROPERTIES = ["file", "dest_path"] as const;

interface UploadItem {
  staged?: string;
  destination?: string;
}

export interface UploadField {
  item: string;
  property: (typeof PROPERTIES)[number];
}

/** Parses `files[0][file]`, `files[0].file`, `files.0.file`, and `file` alone for a single item. */
export function parseUploadField(name: string): UploadField | undefined {
  const [, bracketed, dotted, rest] = /^files(?:\[(\d+)\]|\.(\d+))(.+)$/s.exec(name) ?? [];
  const item = bracketed ?? dotted;
  const property = PROPERTIES.find((wanted) =>
    item === undefined ? name === wanted : rest === `[${wanted}]` || rest === `.${wanted}`,
  );
  return property === undefined ? undefined : { item: item ?? "", property };
}

export async function readUpload(parts: AsyncIterable<MultipartPart>, open: OpenFiles): Promise<void> {
  const items = new Map<string, UploadItem>();
  await withStaging(open, async (staging) => {
    for await (const part of parts) {
      const field = parseUploadField(part.name);
      if (field === undefined) throw badRequest({ field: part.name, message: "invalid form field" });
      const item = items.get(field.item) ?? {};
      items.set(field.item, item);
      if (items.size > MAX_FILES) {
        throw badRequest({ field: "files", message: `must have at most ${MAX_FILES} entries` });
      }
      if (field.property === "file") {
        requireFirst(part.name, item.staged);
        item.staged = await staging.stage(part);
      } else {
        requireFirst(part.name, item.destination);
        item.destination = await readDestination(part);
      }
    }
    if (items.size === 0) throw badRequest({ field: "files", message: "no files provided" });
    const uploads = [...items.values()].map(({ staged, destination }) => {
      if (staged === undefined || destination === undefined) {
        throw badRequest({ field: "files", message: "each item must include file and dest_path" });
      }
      return { staged, destination };
    });
    unwrap(await open().placeFiles(uploads));
  });
}

export async function readZipUpload(parts: AsyncIterable<MultipartPart>, open: OpenFiles): Promise<void> {
  const item: UploadItem = {};
  await withStaging(open, async (staging) => {
    for await (const part of parts) {
      if (part.name === "zip_file") {
        requireFirst(part.name, item.staged);
        item.staged = await staging.stage(part);
      } else if (part.name === "dest_path") {
        requireFirst(part.name, item.destination);
        item.destination = await readDestination(part);
      } else throw badRequest({ field: part.name, message: "invalid form field" });
    }
    const { staged, destination } = item;
    if (staged === undefined || destination === undefined) {
      throw badRequest({ field: "", message: "zip_file and dest_path are required" });
    }
    unwrap(await open().unzip(staged, destination));
  });
}

/** Discards the staged files if `work` fails. */
export async function withStaging(
  open: OpenFiles,
  work: (staging: { stage: (part: StreamedFile) => Promise<string> }) => Promise<void>,
): Promise<void> {
  const staged: string[] = [];
  const stage = async (part: StreamedFile) => {
    const outcome = await open()
      .stage(part.body)
      .catch((error: unknown) => {
        // The reason why a form was cut off is lost on its way to the machine.
        throw part.failure ?? error;
      });
    if (!outcome.ok && part.failure !== undefined) throw part.failure;
    const name = unwrap(outcome);
    staged.push(name);
    return name;
  };
  try {
    await work({ stage });
  } catch (error) {
    if (staged.length > 0) await open().discard(staged);
    throw error;
  }
}

function requireFirst(name: string, taken: string | undefined): void {
  if (taken !== undefined) throw badRequest({ field: name, message: "given twice" });
}

async function readDestination(part: MultipartPart): Promise<string> {
  const path = pathSchema.safeParse(await readPartText(part, MAX_FIELD_BYTES));
  if (path.success) return path.data;
  throw badRequest(...path.error.issues.map(({ message }) => ({ field: part.name, message })));
}
