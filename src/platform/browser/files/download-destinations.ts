import type { FileDestination } from "./session-files.ts";

export const DOWNLOADS_DIRECTORY = "/home/kernel/Downloads";

const HOME_DIRECTORY = "/home/kernel";

const MAX_NAME_LENGTH = 255;

export type DownloadBehavior =
  /** `allow` keeps the suggested name, `allowAndName` uses the GUID. */
  { kind: "allow" | "allowAndName"; directory: string } | { kind: "deny" };

export interface Download {
  guid: string;
  name: string;
}

export interface DownloadDestination<Client> {
  place: FileDestination;
  client: Client | undefined;
}

/** Each client's directory, and the session's downloads unless a client takes it under its own name. */
export function downloadDestinations<Client>(
  { guid, name }: Download,
  behaviors: Iterable<[Client, DownloadBehavior]>,
): [DownloadDestination<Client>, ...DownloadDestination<Client>[]] {
  const ownName = toFileName(name);
  const named: DownloadDestination<Client>[] = [];
  const byGuid: DownloadDestination<Client>[] = [];
  for (const [client, behavior] of behaviors) {
    if (behavior.kind === "deny") continue;
    // Chrome replaces files in a directory that a client has set.
    const place = { directory: behavior.directory, ifTaken: "replace" } as const;
    if (behavior.kind === "allow") named.push({ client, place: { ...place, name: ownName } });
    else byGuid.push({ client, place: { ...place, name: guid } });
  }
  const [first, ...others] = named;
  if (first !== undefined) return [first, ...others, ...byGuid];
  const ordinary: FileDestination = { directory: DOWNLOADS_DIRECTORY, name: ownName, ifTaken: "number" };
  return [{ client: undefined, place: ordinary }, ...byGuid];
}

/** @returns a directory of the session; undefined for a Windows path, which is on the client's machine. */
export function toDirectory(downloadPath: string): string | undefined {
  if (/^[a-z]:[\\/]|^\\\\/i.test(downloadPath) || downloadPath.includes("\0")) return undefined;
  const path = downloadPath.replace(/(?<!\/)\/+$/, "");
  return downloadPath.startsWith("/") ? path : `${HOME_DIRECTORY}/${path}`;
}

/** Numbers a taken name: `report (1).pdf`. @param number 0 for the name itself. */
export function numberedName(name: string, number: number): string {
  if (number === 0) return name;
  const [, stem = name, ending = ""] = /^(.+?)((?:\.tar)?\.[^.]*)?$/s.exec(name) ?? [];
  const rest = ` (${number})${ending}`;
  return shortenTo(MAX_NAME_LENGTH - byteLength(rest), stem) + rest;
}

export function toFileName(suggested: string): string {
  const name = suggested.replaceAll(/[/\0]/g, "_");
  if (name === "" || name === "." || name === "..") return "download";
  return shorten(name);
}

function shorten(name: string): string {
  if (byteLength(name) <= MAX_NAME_LENGTH) return name;
  const ending = /\.[^.]{1,16}$/.exec(name)?.[0] ?? "";
  return shortenTo(MAX_NAME_LENGTH - byteLength(ending), name) + ending;
}

function shortenTo(room: number, text: string): string {
  const bytes = new TextEncoder().encode(text);
  if (bytes.length <= room) return text;
  return new TextDecoder().decode(bytes.subarray(0, Math.max(0, room))).replace(/(?<!\uFFFD)\uFFFD+$/, "");
}

function byteLength(text: string): number {
  return new TextEncoder().encode(text).length;
}
