import { cut } from "../../lib/common/cut.ts";
import type { Chapter } from "../../lib/database/schema/replays.ts";

const MAX_CHAPTERS = 300;
const MAX_URL_LENGTH = 300;
const MAX_TITLE_LENGTH = 200;

const SECRET_NAME = /token|key|secret|pass|pwd|auth|code|session|sid|sig|jwt|credential|state|nonce/i;
/** Long values of mixed characters are random. */
const SECRET_VALUE = /^(?=.*\d)(?=.*[a-z])[\w.~+/=-]{20,}$/i;

/** Adds the page in front, or its new title. Pages are hostile, so their number and texts are limited. */
export function addChapter(chapters: Chapter[], page: Chapter): void {
  const chapter = { ...page, url: publicURL(page.url), title: cleanTitle(page.title) };
  // While a tab navigates, the browser may report it without an address.
  if (chapter.url === "") return;
  const last = chapters.at(-1);
  if (last?.url === chapter.url) last.title = chapter.title;
  else if (chapters.length < MAX_CHAPTERS) chapters.push(chapter);
}

/** An address without what may be secret: credentials, the fragment, and some values of the query. */
export function publicURL(address: string): string {
  const url = URL.parse(address);
  if (url === null) return "";
  if (!/^(https?|about|file|chrome):$/.test(url.protocol)) return `${url.protocol}…`;
  url.username = "";
  url.password = "";
  url.hash = "";
  for (const [name, value] of [...url.searchParams]) {
    if (SECRET_NAME.test(name) || SECRET_VALUE.test(value)) url.searchParams.set(name, "hidden");
  }
  return cut(url.href, MAX_URL_LENGTH);
}

/** @param durationMs length of the recording. */
export function toWebVTT(chapters: readonly Chapter[], durationMs: number): string {
  const cues = chapters.map(({ time, title, url }, index) => {
    const end = chapters[index + 1]?.time ?? Math.max(durationMs, time + 1);
    return `${toTimestamp(time)} --> ${toTimestamp(end)}\n${escapeText(title === "" ? url : `${title} (${url})`)}\n`;
  });
  return ["WEBVTT\n", ...cues].join("\n");
}

function cleanTitle(title: string): string {
  return cut(
    title
      .slice(0, 2 * MAX_TITLE_LENGTH)
      .replaceAll(/[\s\p{Cc}]+/gu, " ")
      .trim(),
    MAX_TITLE_LENGTH,
  );
}

function toTimestamp(milliseconds: number): string {
  const pad = (value: number, digits: number) => String(Math.floor(value)).padStart(digits, "0");
  const [hours, minutes, seconds] = [
    milliseconds / 3_600_000,
    (milliseconds / 60_000) % 60,
    (milliseconds / 1000) % 60,
  ];
  return `${pad(hours, 2)}:${pad(minutes, 2)}:${pad(seconds, 2)}.${pad(milliseconds % 1000, 3)}`;
}

function escapeText(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
