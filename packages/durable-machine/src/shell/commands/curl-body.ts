import { toByteString } from "../byte-strings.ts";
import { openOperand, pieces } from "./byte-source.ts";
import { errorText } from "./error-text.ts";
import type { Invocation } from "./invocation.ts";
import { type ParsedOptions, UsageError } from "./options.ts";
import { TransferError } from "./transfer.ts";

/** What a request carries, as a byte string: a character for each byte. */
export interface RequestBody {
  content: string;
  type?: string;
}

/** A text as a byte string. */
export function utf8(text: string): string {
  return toByteString(new TextEncoder().encode(text));
}

function limited(invocation: Invocation, content: string): string {
  const { textBytes } = invocation.environment.limits;
  if (content.length <= textBytes) return content;
  throw new TransferError(27, `More than ${textBytes} bytes are too many here`);
}

/** Reads a file, or standard input for `-`, as a byte string. @throws TransferError 26 unreadable, 27 too large. */
export async function readFile(invocation: Invocation, operand: string): Promise<string> {
  let content = "";
  try {
    for await (const piece of pieces(await openOperand(invocation, operand))) {
      content = limited(invocation, content + toByteString(piece));
    }
  } catch (error) {
    throw new TransferError(26, `Failed to open ${operand}: ${errorText(error)}`);
  }
  return content;
}

const DATA_OPTIONS = ["d", "data-binary", "data-raw", "data-urlencode", "json"];

/** Reads what `-d` and its relatives give together; undefined: none of them is given. @throws TransferError */
export async function readData(invocation: Invocation, options: ParsedOptions): Promise<string | undefined> {
  let data: string | undefined;
  for (const { key, value = "" } of options.given) {
    if (!DATA_OPTIONS.includes(key)) continue;
    const separator = data === undefined || key === "json" ? "" : "&";
    data = limited(invocation, (data ?? "") + separator + (await readDatum(invocation, key, value)));
  }
  return data;
}

async function readDatum(invocation: Invocation, key: string, value: string): Promise<string> {
  if (key === "data-urlencode") {
    // `content`, `=content`, `name=content`, `@file` or `name@file`.
    const at = value.search(value.includes("=") ? "=" : "@");
    const rest = value.slice(at + 1);
    const content = value[at] === "@" ? await readFile(invocation, rest) : utf8(rest);
    const name = at > 0 ? utf8(`${value.slice(0, at)}=`) : "";
    return name + content.replace(/[^\w.~-]/g, escaped);
  }
  if (key === "data-raw" || !value.startsWith("@")) return utf8(value);
  const content = await readFile(invocation, value.slice(1));
  return key === "d" ? content.replace(/[\r\n\0]/g, "") : content;
}

function escaped(character: string): string {
  return character === " " ? "+" : `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`;
}

/** The types that curl knows by the ending of a name. */
const TYPES = new Map([
  ["gif", "image/gif"],
  ["html", "text/html"],
  ["jpeg", "image/jpeg"],
  ["jpg", "image/jpeg"],
  ["pdf", "application/pdf"],
  ["png", "image/png"],
  ["svg", "image/svg+xml"],
  ["txt", "text/plain"],
  ["xml", "application/xml"],
]);

/**
 * Reads the fields of `-F`: `name=text`, `name=@file` or, for its content as text, `name=<file`, with `;type=…` and
 * `;filename=…` behind it.
 *
 * @throws TransferError, UsageError
 */
export async function readForm(invocation: Invocation, options: ParsedOptions): Promise<RequestBody> {
  const boundary = `------------------------${crypto.randomUUID()}`;
  let form = "";
  for (const field of options.values("F")) {
    const [, name = "", mark, rest = ""] = /^([^=]*)=([@<]?)(.*)$/s.exec(field) ?? [];
    if (mark === undefined) throw new UsageError(`option -F: is badly used here: ${field}`);
    const [word = "", ...parameters] = rest.split(/;\s*(?=type=|filename=)/);
    const parameter = (key: string) => parameters.find((text) => text.startsWith(key))?.slice(key.length);
    const value = unquoted(word);
    const filename = parameter("filename=") ?? (mark === "@" ? value.split("/").at(-1) : undefined);
    const ending = filename?.split(".").at(-1)?.toLowerCase() ?? "";
    const guessed = TYPES.get(ending) ?? "application/octet-stream";
    const type = parameter("type=") ?? (mark === "@" ? guessed : undefined);
    const head = [
      `--${boundary}\r\nContent-Disposition: form-data; name=${quoted(name)}`,
      filename === undefined ? "" : `; filename=${quoted(unquoted(filename))}`,
      type === undefined ? "" : `\r\nContent-Type: ${type}`,
    ].join("");
    const content = mark === "" ? utf8(value) : await readFile(invocation, value);
    form = limited(invocation, `${form}${utf8(head)}\r\n\r\n${content}\r\n`);
  }
  return { content: `${form}--${boundary}--\r\n`, type: `multipart/form-data; boundary=${boundary}` };
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', "%22").replaceAll("\r", "%0D").replaceAll("\n", "%0A")}"`;
}

function unquoted(word: string): string {
  return word.replace(/^"(.*)"$/s, "$1");
}
