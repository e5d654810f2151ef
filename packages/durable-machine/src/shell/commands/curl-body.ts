import { type FormField, formEnd, partHead, readFormField, readFormString, typeOfFile } from "./curl-form.ts";
import { escapeFormData, SentBytes, withoutLineEnds } from "./curl-sent-bytes.ts";
import type { Invocation } from "./invocation.ts";
import { type ParsedOptions, UsageError } from "./options.ts";

/** What a request carries. */
export interface RequestBody {
  method: "POST" | "PUT";
  bytes: Uint8Array;
  contentType?: string;
  /** What `--json` asks for in return. */
  accept?: string;
}

const DATA_OPTIONS = ["d", "data-ascii", "data-binary", "data-raw", "data-urlencode", "json"];
const FORM_OPTIONS = ["F", "form-string"];

/** @throws UsageError where the options ask for several methods at once. */
export function refuseSeveralMethods(options: ParsedOptions): void {
  const isData = options.has(...DATA_OPTIONS) && !options.has("G");
  const asked = [
    ...(options.has("I") ? ["HEAD (-I, --head)"] : []),
    ...(isData ? ["POST (-d, --data)"] : []),
    ...(options.has(...FORM_OPTIONS) ? ["multipart formpost (-F, --form)"] : []),
    ...(options.has("T") ? ["PUT (-T, --upload-file)"] : []),
  ];
  if (asked.length < 2) return;
  throw new UsageError(
    `You can only select one HTTP request method! You asked for both ${asked.slice(0, 2).join(" and ")}.`,
    { hint: false },
  );
}

/**
 * What `-d` and its relatives give together; undefined: none of them is given.
 *
 * @param limit the most bytes; as many as a request may carry unless given.
 * @throws CurlFailure
 */
export async function readData(
  invocation: Invocation,
  options: ParsedOptions,
  limit?: number,
): Promise<Uint8Array | undefined> {
  const data = new SentBytes(invocation, limit);
  let isFirst = true;
  for (const { key, value } of options.given) {
    if (value === undefined || !DATA_OPTIONS.includes(key)) continue;
    if (!isFirst && key !== "json") await data.addText("&");
    await addDatum(data, key, value);
    isFirst = false;
  }
  return isFirst ? undefined : data.join();
}

async function addDatum(data: SentBytes, key: string, value: string): Promise<void> {
  if (key === "data-urlencode") return await addEncoded(data, value);
  if (key === "data-raw" || !value.startsWith("@")) return await data.addText(value);
  const isText = key === "d" || key === "data-ascii";
  await data.addFile(value.slice(1), isText ? withoutLineEnds : undefined);
}

/** `content`, `=content`, `name=content`, `@file` or `name@file`: the content escaped, the name as it is. */
async function addEncoded(data: SentBytes, value: string): Promise<void> {
  const separator = value.includes("=") ? "=" : "@";
  const at = value.indexOf(separator);
  if (at > 0) await data.addText(`${value.slice(0, at)}=`);
  const content = value.slice(at + 1);
  if (at !== -1 && separator === "@") await data.addFile(content, escapeFormData);
  else await data.addText(content, escapeFormData);
}

/**
 * What the options give each request to carry, but for the uploads of `-T`.
 *
 * @throws CurlFailure
 */
export async function readBody(
  invocation: Invocation,
  options: ParsedOptions,
): Promise<RequestBody | undefined> {
  if (options.has(...FORM_OPTIONS)) return await readForm(invocation, options);
  const bytes = options.has("G") ? undefined : await readData(invocation, options);
  if (bytes === undefined) return undefined;
  return options.has("json")
    ? { method: "POST", bytes, contentType: "application/json", accept: "application/json" }
    : { method: "POST", bytes, contentType: "application/x-www-form-urlencoded" };
}

/** @throws CurlFailure */
export async function readUpload(invocation: Invocation, operand: string): Promise<RequestBody> {
  const upload = new SentBytes(invocation);
  await upload.addFile(operand);
  return { method: "PUT", bytes: upload.join() };
}

async function readForm(invocation: Invocation, options: ParsedOptions): Promise<RequestBody> {
  const boundary = `${"-".repeat(24)}${crypto.getRandomValues(new Uint8Array(8)).toHex()}`;
  const form = new SentBytes(invocation);
  for (const { key, value } of options.given) {
    if (value === undefined || !FORM_OPTIONS.includes(key)) continue;
    await addField(form, key === "F" ? readFormField(value) : readFormString(value), boundary);
  }
  await form.addText(formEnd(boundary));
  return { method: "POST", bytes: form.join(), contentType: `multipart/form-data; boundary=${boundary}` };
}

async function addField(form: SentBytes, field: FormField, boundary: string): Promise<void> {
  const { name, kind, value, type, filename } = field;
  if (kind === "file") {
    const sentName = filename ?? value.slice(value.lastIndexOf("/") + 1);
    await form.addText(partHead({ name, filename: sentName, type: type ?? typeOfFile(sentName) }, boundary));
  } else await form.addText(partHead({ name, filename, type }, boundary));
  if (kind === "text") await form.addText(value);
  else await form.addFile(value);
  await form.addText("\r\n");
}
