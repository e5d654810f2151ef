import { UsageError } from "./options.ts";

/** A field of a form as the command line describes it. */
export interface FormField {
  name: string;
  /** A text, a file to be sent as such, or a file whose content is the text. */
  kind: "text" | "file" | "content";
  /** The text, or the file's path; `-` is standard input. */
  value: string;
  type?: string;
  filename?: string;
}

/** The types that curl tells by a name's ending. */
const TYPES: Record<string, string> = {
  gif: "image/gif",
  htm: "text/html",
  html: "text/html",
  jpeg: "image/jpeg",
  jpg: "image/jpeg",
  pdf: "application/pdf",
  png: "image/png",
  svg: "image/svg+xml",
  txt: "text/plain",
  xml: "application/xml",
};

/** Takes a word off the front of a text: in double quotes, or up to the next semicolon. */
function takeWord(text: string): { word: string; rest: string } {
  const quoted = /^\s*"((?:[^"\\]|\\.)*)"\s*(?=;|$)/s.exec(text);
  if (quoted) {
    return { word: (quoted[1] ?? "").replace(/\\(["\\])/g, "$1"), rest: text.slice(quoted[0].length) };
  }
  const end = text.indexOf(";");
  return end === -1
    ? { word: text, rest: "" }
    : { word: text.slice(0, end).trimEnd(), rest: text.slice(end) };
}

/** A media type has semicolons of its own: `text/plain; charset=utf-8`. */
function takeType(text: string): { word: string; rest: string } {
  const [whole = "", type = ""] =
    /^\s*([^;]*(?:;(?!\s*(?:type|filename|headers|encoder)=)[^;=]+=[^;]*)*)/i.exec(text) ?? [];
  return { word: type.trimEnd(), rest: text.slice(whole.length) };
}

/**
 * Reads the value of `-F`: `name=text`, `name=@file`, `name=<file`, each with `;type=…` and `;filename=…` behind it.
 *
 * @throws UsageError where there is no name.
 */
export function readFormField(text: string): FormField {
  const equals = text.indexOf("=");
  if (equals === -1) throw new UsageError(`option -F: is badly used here: ${text}`);
  const value = text.slice(equals + 1);
  const kind = value.startsWith("@") ? "file" : value.startsWith("<") ? "content" : "text";
  const { word, rest } = takeWord(kind === "text" ? value : value.slice(1));
  const field: FormField = { name: text.slice(0, equals), kind, value: word };
  for (let left = rest; left !== ""; ) {
    const parameter = /^;\s*(type|filename)=/i.exec(left);
    if (!parameter) {
      left = takeWord(left.slice(1)).rest;
      continue;
    }
    const after = left.slice(parameter[0].length);
    const isType = parameter[1]?.toLowerCase() === "type";
    const taken = isType ? takeType(after) : takeWord(after);
    if (isType) field.type = taken.word;
    else field.filename = taken.word;
    left = taken.rest;
  }
  return field;
}

/** Reads the value of `--form-string`: all behind the first `=` is the text. @throws UsageError */
export function readFormString(text: string): FormField {
  const equals = text.indexOf("=");
  if (equals === -1) throw new UsageError(`option -F: is badly used here: ${text}`);
  return { name: text.slice(0, equals), kind: "text", value: text.slice(equals + 1) };
}

/** The type of a file by its name. */
export function typeOfFile(name: string): string {
  return TYPES[name.slice(name.lastIndexOf(".") + 1).toLowerCase()] ?? "application/octet-stream";
}

/** A name between double quotes, in which those and line ends are escaped as browsers do it. */
function quote(name: string): string {
  return `"${name.replaceAll('"', "%22").replaceAll("\r", "%0D").replaceAll("\n", "%0A")}"`;
}

/** What stands before the content of a field; behind it stands a line end. */
export function partHead(part: { name: string; filename?: string; type?: string }, boundary: string): string {
  const file = part.filename === undefined ? "" : `; filename=${quote(part.filename)}`;
  const type = part.type === undefined ? "" : `Content-Type: ${part.type}\r\n`;
  return `--${boundary}\r\nContent-Disposition: form-data; name=${quote(part.name)}${file}\r\n${type}\r\n`;
}

/** What stands behind the last field. */
export function formEnd(boundary: string): string {
  return `--${boundary}--\r\n`;
}
