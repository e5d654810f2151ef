import type { MachineResponse } from "../../network.ts";
import type { HeaderField } from "./curl-request.ts";

/** The status line and headers of a response, as they came over the wire but for the names' case. */
export function responseHead({
  status,
  statusText,
  headers,
}: Pick<MachineResponse, "status" | "statusText" | "headers">): string {
  const fields = [...headers].map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${statusText}\r\n${fields.join("")}\r\n`;
}

/** The request line and headers. */
export function requestHead(method: string, url: URL, fields: readonly HeaderField[]): string {
  const lines = fields.map(({ name, value }) => `${name}: ${value}\r\n`);
  return `${method} ${url.pathname}${url.search} HTTP/1.1\r\n${lines.join("")}\r\n`;
}

/** A head as `-v` shows it: each line behind a mark. */
export function marked(mark: ">" | "<", head: string): string {
  return head
    .split("\r\n")
    .slice(0, -1)
    .map((line) => `${mark} ${line}\r\n`)
    .join("");
}
