import type { FilePlace } from "./session-files.ts";

/** Where a browser puts what nobody wants elsewhere. */
const DOWNLOADS_DIRECTORY = "/home/kernel/Downloads";

/** Which relative paths of clients are meant from. */
const HOME_DIRECTORY = "/home/kernel";

/** Longest name of a file, in bytes. */
const MAX_NAME_LENGTH = 255;

/** What a client wants to become of downloads. */
export type DownloadBehavior =
  /** Put into a directory, under its own name or, as `allowAndName`, under its GUID. */
  { kind: "allow" | "allowAndName"; directory: string } | { kind: "deny" };

export interface Download {
  guid: string;
  /** As the browser suggests it. */
  name: string;
}

/** One place of a download, and who wants it there: nobody in particular where the client is undefined. */
export interface DownloadPlace<Client> {
  place: FilePlace;
  client: Client | undefined;
}

/**
 * Where a download belongs: wherever clients want it, and among the session's downloads unless somebody has it put
 * somewhere else under its own name.
 *
 * @returns one place at least.
 */
export function placesOf<Client>(
  { guid, name }: Download,
  behaviors: Iterable<[Client, DownloadBehavior]>,
): [DownloadPlace<Client>, ...DownloadPlace<Client>[]] {
  const ownName = toFileName(name);
  const named: DownloadPlace<Client>[] = [];
  const byGuid: DownloadPlace<Client>[] = [];
  for (const [client, behavior] of behaviors) {
    if (behavior.kind === "deny") continue;
    // As in Chrome, where a client has said where downloads go.
    const place = { directory: behavior.directory, ifTaken: "replace" } as const;
    if (behavior.kind === "allow") named.push({ client, place: { ...place, name: ownName } });
    else byGuid.push({ client, place: { ...place, name: guid } });
  }
  const [first, ...others] = named;
  if (first !== undefined) return [first, ...others, ...byGuid];
  const ordinary: FilePlace = { directory: DOWNLOADS_DIRECTORY, name: ownName, ifTaken: "number" };
  return [{ client: undefined, place: ordinary }, ...byGuid];
}

/**
 * The directory of the session that a client means; undefined where it means one of its own machine, as clients on
 * Windows do that name their own temporary folder.
 */
export function toDirectory(downloadPath: string): string | undefined {
  if (/^[a-z]:[\\/]|^\\\\/i.test(downloadPath) || downloadPath.includes("\0")) return undefined;
  const path = downloadPath.replace(/\/+$/, "");
  return downloadPath.startsWith("/") ? path : `${HOME_DIRECTORY}/${path}`;
}

/** A download's name where others have taken it: `report (1).pdf`. @param number 0 for the name itself. */
export function numberedName(name: string, number: number): string {
  if (number === 0) return name;
  const [, stem = name, ending = ""] = /^(.+?)((?:\.tar)?\.[^.]*)?$/s.exec(name) ?? [];
  const rest = ` (${number})${ending}`;
  return shortenTo(MAX_NAME_LENGTH - byteLength(rest), stem) + rest;
}

/** A name that a file can have. */
function toFileName(suggested: string): string {
  const name = suggested.replaceAll(/[/\0]/g, "_");
  if (name === "" || name === "." || name === "..") return "download";
  return shorten(name);
}

/** Cuts a name that is too long before its ending, at a whole character. */
function shorten(name: string): string {
  if (byteLength(name) <= MAX_NAME_LENGTH) return name;
  const ending = /\.[^.]{1,16}$/.exec(name)?.[0] ?? "";
  return shortenTo(MAX_NAME_LENGTH - byteLength(ending), name) + ending;
}

/** Cuts a text to so many bytes, at a whole character. */
function shortenTo(room: number, text: string): string {
  const bytes = new TextEncoder().encode(text);
  if (bytes.length <= room) return text;
  return new TextDecoder().decode(bytes.subarray(0, Math.max(0, room))).replace(/\uFFFD+$/, "");
}

function byteLength(text: string): number {
  return new TextEncoder().encode(text).length;
}
