import { badRequest } from "../common/errors.ts";
import { parseHeaderLine } from "./header-line.ts";

export interface PartHeaders {
  name: string;
  /** Untrusted: never use it as a path. Undefined if the part is not a file. */
  filename: string | undefined;
  /** Undefined means plain text. */
  contentType: string | undefined;
}

class HeaderError extends Error {}

const FORM_TYPE = /^multipart\/form-data[ \t]*(?=;|$)/i;
const BOUNDARY = /^[\x20-\x7e]{0,69}[\x21-\x7e]$/;

/** Browsers escape only `"` and `\` in quotes. Each text matches in one way only, so nothing backtracks. */
const PARAMETER = /[ \t]*;[ \t]*([\w!#$%&'*+.^`|~-]+)=(?:"((?:\\["\\]|\\(?!["\\])|[^"\\])*)"|([^\s;"]+))/y;

const IDENTITY_ENCODINGS = ["7bit", "8bit", "binary"];

/** @throws ServiceError 400 for another content type, or without a valid boundary. */
export function readBoundary(contentType: string | null | undefined): string {
  try {
    const type = FORM_TYPE.exec(contentType ?? "");
    if (!contentType || !type) throw new HeaderError("the body must be sent as multipart/form-data");
    const boundary = readParameters(contentType.slice(type[0].length)).get("boundary");
    if (boundary === undefined) throw new HeaderError("must name the boundary of the form's parts");
    if (!BOUNDARY.test(boundary)) {
      throw new HeaderError("the boundary must have 1 to 70 printable characters and not end with a space");
    }
    return boundary;
  } catch (error) {
    throw error instanceof HeaderError
      ? badRequest({ field: "content-type", message: error.message })
      : error;
  }
}

/** Reads the text between a boundary and a part's content. @throws ServiceError 400 */
export function readPartHeaders(text: string, part: number): PartHeaders {
  try {
    const [boundaryLine = "", ...lines] = text.replace(/\r\n[ \t]+/g, " ").split("\r\n");
    if (/[^ \t]/.test(boundaryLine)) throw new HeaderError("its boundary line continues after the boundary");
    const headers = readHeaderLines(lines);
    const encoding = headers.get("content-transfer-encoding") ?? "binary";
    if (!IDENTITY_ENCODINGS.includes(encoding.toLowerCase())) {
      throw new HeaderError("content-transfer-encoding must be binary, 8bit or 7bit");
    }
    return {
      ...readDisposition(headers.get("content-disposition")),
      contentType: headers.get("content-type"),
    };
  } catch (error) {
    throw error instanceof HeaderError
      ? badRequest({ field: "", message: `part ${part} of the form is malformed: ${error.message}` })
      : error;
  }
}

function readHeaderLines(lines: string[]): Map<string, string> {
  const headers = new Map<string, string>();
  for (const line of lines) {
    const header = parseHeaderLine(line);
    if (header === undefined) throw new HeaderError("a line of its headers is no header");
    setOnce(headers, header.name.toLowerCase(), header.value);
  }
  return headers;
}

function readDisposition(disposition: string | undefined): Pick<PartHeaders, "name" | "filename"> {
  const type = /^form-data[ \t]*(?=;|$)/i.exec(disposition ?? "");
  if (disposition === undefined || !type) {
    throw new HeaderError("it has no header content-disposition: form-data");
  }
  const parameters = readParameters(disposition.slice(type[0].length));
  const name = parameters.get("name");
  if (name === undefined) throw new HeaderError("its content-disposition has no name");
  const filename = parameters.get("filename");
  return {
    name: decodeBrowserEscapes(name),
    filename:
      decodeExtendedValue(parameters.get("filename*")) ??
      (filename === undefined ? undefined : decodeBrowserEscapes(filename)),
  };
}

function readParameters(text: string): Map<string, string> {
  const parameters = new Map<string, string>();
  let end = 0;
  PARAMETER.lastIndex = 0;
  for (let match = PARAMETER.exec(text); match; match = PARAMETER.exec(text)) {
    const [, name = "", quoted, token = ""] = match;
    setOnce(parameters, name.toLowerCase(), quoted?.replace(/\\(["\\])/g, "$1") ?? token);
    end = PARAMETER.lastIndex;
  }
  if (/[^ \t;]/.test(text.slice(end))) throw new HeaderError("a parameter of its headers cannot be read");
  return parameters;
}

/** Two parsers may choose different values of a repeated name. */
function setOnce(values: Map<string, string>, name: string, value: string): void {
  if (values.has(name)) throw new HeaderError(`"${name}" is given twice`);
  values.set(name, value);
}

function decodeBrowserEscapes(text: string): string {
  return text.replace(/%(22|0d|0a)/gi, (escaped) => decodeURIComponent(escaped));
}

/** Decodes an RFC 5987 value such as `UTF-8''na%C3%AFve.txt`. */
function decodeExtendedValue(value: string | undefined): string | undefined {
  const [, charset = "", encoded] = /^([\w-]+)'[^']*'(.*)$/.exec(value ?? "") ?? [];
  if (encoded === undefined) return undefined;
  try {
    if (/^utf-8$/i.test(charset)) return decodeURIComponent(encoded);
  } catch {
    throw new HeaderError("its filename* is not encoded as RFC 5987 says");
  }
  if (!/^iso-8859-1$/i.test(charset)) return undefined;
  return encoded.replace(/%([\da-f]{2})/gi, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
}
