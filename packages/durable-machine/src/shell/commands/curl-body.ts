import { argumentBytes, readText } from "./byte-lines.ts";
import { openOperand } from "./byte-source.ts";
import { errorText } from "./error-text.ts";
import type { Invocation } from "./invocation.ts";
import { type ParsedOptions, UsageError } from "./options.ts";
import { TransferError } from "./transfer.ts";

/** What a request carries, as a byte string. */
export interface RequestBody {
  content: string;
  type?: string;
}

/** By the extensions that curl recognizes. */
const MEDIA_TYPES = new Map(
  Object.entries({
    gif: "image/gif",
    html: "text/html",
    jpeg: "image/jpeg",
    jpg: "image/jpeg",
    pdf: "application/pdf",
    png: "image/png",
    svg: "image/svg+xml",
    txt: "text/plain",
    xml: "application/xml",
  }),
);

/** Reads a file, or standard input for `-`. @param held bytes that the command holds already. */
export async function readFile(invocation: Invocation, operand: string, held = 0): Promise<string> {
  const source = await openOperand(invocation, operand).catch((error: unknown) => {
    throw new TransferError(26, `Failed to open ${operand}: ${errorText(error)}`);
  });
  return await readText(invocation, source, { held, exitCode: 27 });
}

export async function readData(invocation: Invocation, options: ParsedOptions): Promise<string | undefined> {
  let data: string | undefined;
  for (const { key, value = "" } of options.given) {
    if (!/^(?:d|data-.*|json)$/.test(key)) continue;
    const separator = data === undefined || key === "json" ? "" : "&";
    data = (data ?? "") + separator + (await readDatum(invocation, key, value, data?.length));
  }
  return data;
}

async function readDatum(invocation: Invocation, key: string, value: string, held?: number): Promise<string> {
  if (key === "data-urlencode") {
    // `content`, `=content`, `name=content`, `@file` or `name@file`.
    const separator = value.search(value.includes("=") ? "=" : "@");
    const rest = value.slice(separator + 1);
    const content = value[separator] === "@" ? await readFile(invocation, rest, held) : argumentBytes(rest);
    const name = separator > 0 ? argumentBytes(`${value.slice(0, separator)}=`) : "";
    return name + content.replace(/[^\w.~-]/g, percentEncoded);
  }
  if (key === "data-raw" || !value.startsWith("@")) return argumentBytes(value);
  const content = await readFile(invocation, value.slice(1), held);
  return key === "d" ? content.replace(/[\r\n\0]/g, "") : content;
}

function percentEncoded(byte: string): string {
  return byte === " " ? "+" : `%${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`;
}

export async function readBody(invocation: Invocation, options: ParsedOptions) {
  if (options.has("F")) return await readForm(invocation, options);
  const content = await readData(invocation, options);
  const type = options.has("json") ? "application/json" : "application/x-www-form-urlencoded";
  return content === undefined ? undefined : { content, type };
}

/** Reads `-F`: `name=text`, `name=@file` or `name=<file`, which `;type=…` and `;filename=…` may follow. */
async function readForm(invocation: Invocation, options: ParsedOptions): Promise<RequestBody> {
  const boundary = `------------------------${crypto.randomUUID()}`;
  let form = "";
  for (const field of options.values("F")) {
    const [, name = "", mark, rest = ""] = /^([^=]*)=([@<]?)(.*)$/s.exec(field) ?? [];
    if (mark === undefined) throw new UsageError(`option -F: is badly used here: ${field}`);
    const [value = "", ...parameters] = rest.split(/;\s*(?=type=|filename=)/);
    const parameter = (key: string) => parameters.find((text) => text.startsWith(key))?.slice(key.length);
    const filename =
      parameter("filename=")?.replace(/^"(.*)"$/s, "$1") ??
      (mark === "@" ? value.split("/").at(-1) : undefined);
    const extension = filename?.split(".").at(-1)?.toLowerCase() ?? "";
    const guessed = MEDIA_TYPES.get(extension) ?? "application/octet-stream";
    const type = parameter("type=") ?? (mark === "@" ? guessed : undefined);
    const head = [
      `--${boundary}\r\nContent-Disposition: form-data; name=${quoted(name)}`,
      filename === undefined ? "" : `; filename=${quoted(filename)}`,
      type === undefined ? "" : `\r\nContent-Type: ${type}`,
    ].join("");
    const content = mark === "" ? argumentBytes(value) : await readFile(invocation, value, form.length);
    form += `${argumentBytes(head)}\r\n\r\n${content}\r\n`;
  }
  return { content: `${form}--${boundary}--\r\n`, type: `multipart/form-data; boundary=${boundary}` };
}

function quoted(name: string): string {
  return `"${name.replace(/["\r\n]/g, encodeURIComponent)}"`;
}
