import type { RecordingDocument, RecordingItem } from "../../src/features/recordings/recording-document.ts";
import { find } from "../elements.ts";
import { EventList } from "./event-list.ts";
import { findError, formatTime, readMoment, skipIdle } from "./items.ts";
import { TimeLine } from "./time-line.ts";

const RECHECK_MS = 5000;
const STEP_SECONDS = 5;

const video = find("#video", HTMLVideoElement);
const list = new EventList(seek);
const line = new TimeLine(seek);
const skipsIdle = find("#skip-idle", HTMLInputElement);
const speed = find("#speed", HTMLSelectElement);
const copyLink = find("#copy-link", HTMLButtonElement);
let items: RecordingItem[] = [];
let duration = 0;

/** The address of what the page loads, with the page's token. */
function addressOf(name: string): string {
  return `${location.pathname}/${name}${location.search}`;
}

function seek(time: number): void {
  video.currentTime = time;
  followVideo();
}

function jumpToError(direction: 1 | -1): void {
  const error = findError(items, video.currentTime, direction);
  if (error === undefined) return;
  seek(error.time);
  list.moveTo(error.time, true);
}

function notify(title: string, text: string): void {
  find("#player", HTMLElement).hidden = true;
  find("#notice", HTMLElement).hidden = false;
  find("#notice-title", HTMLElement).textContent = title;
  find("#notice-text", HTMLElement).textContent = text;
}

function showNote(note: string | null): void {
  const box = find("#note", HTMLElement);
  box.textContent = note;
  box.hidden = note === null;
}

async function load(): Promise<void> {
  const response = await fetch(addressOf("events"));
  if (response.status === 401) {
    return notify(
      "This link is not valid",
      "It is incomplete, or it has expired or was revoked. Ask for a new one.",
    );
  }
  if (response.status === 404) {
    return notify("Recording not found", "Recordings are deleted some time after their session ends.");
  }
  if (!response.ok) {
    const { message } = await response.json();
    return notify("This recording cannot be shown right now", String(message));
  }
  const recorded: RecordingDocument = await response.json();
  const { startedAt, finishedAt, sizeBytes, note } = recorded.recording;
  showFacts(recorded.recording);
  const { sessionName } = recorded.recording;
  find("h1", HTMLElement).textContent = sessionName ?? "Recording";
  document.title = sessionName === null ? "Recording" : `${sessionName} – Recording`;
  showNote(note && `This recording is incomplete: ${note}.`);
  if (finishedAt === null) {
    setTimeout(start, RECHECK_MS);
    return notify("Still recording", "The video appears here once the recording has ended.");
  }
  if (sizeBytes === 0) return notify("This recording is empty", "No picture was recorded.");
  duration = (finishedAt - startedAt) / 1000;
  show(recorded);
}

function showFacts({ startedAt, finishedAt, sizeBytes, endReason }: RecordingDocument["recording"]): void {
  const facts = [new Date(startedAt).toLocaleString([], { dateStyle: "medium", timeStyle: "short" })];
  if (finishedAt !== null) {
    const megabytes = Math.max(sizeBytes / 1_000_000, 0.1).toFixed(1);
    facts.push(formatTime((finishedAt - startedAt) / 1000), `${megabytes} MB`);
  }
  if (endReason !== null) facts.push(endReason.replace(/\.$/, ""));
  find("#facts", HTMLElement).textContent = facts.join("\u00a0· ");
}

function show({ items: shown, isCut }: RecordingDocument): void {
  items = shown;
  find("#cut", HTMLElement).hidden = !isCut;
  find("#notice", HTMLElement).hidden = true;
  find("#player", HTMLElement).hidden = false;
  const download = find("#download", HTMLAnchorElement);
  download.href = addressOf("video");
  download.hidden = false;
  video.src = addressOf("video");
  list.show(items);
  line.show(items, duration);
  const hasErrors = items.some(({ isError }) => isError);
  find("#previous-error", HTMLButtonElement).disabled = !hasErrors;
  find("#next-error", HTMLButtonElement).disabled = !hasErrors;
  // Without events, nothing tells pauses from the rest.
  skipsIdle.disabled = items.length < 2;
  followVideo();
  seekToLink();
}

function seekToLink(): void {
  const moment = readMoment(location.hash);
  if (moment !== undefined) seek(Math.min(moment, duration));
}

function followPlaying(): void {
  followVideo();
  if (video.paused || video.seeking || !skipsIdle.checked) return;
  const target = skipIdle(items, video.currentTime, duration);
  if (target !== undefined) seek(target);
}

async function copyMoment(): Promise<void> {
  const link = new URL(location.href);
  link.hash = `t=${video.currentTime.toFixed(1)}`;
  const copied = await navigator.clipboard.writeText(link.href).then(
    () => true,
    () => false,
  );
  // Without the right to use the clipboard, the person copies the address.
  if (!copied) location.hash = link.hash;
  const words = find("span", HTMLElement, copyLink);
  words.textContent = copied ? "Copied" : "Link is in the address bar";
  setTimeout(() => {
    words.textContent = "Copy link to this moment";
  }, 2000);
}

function followVideo(): void {
  line.moveTo(video.currentTime);
  list.moveTo(video.currentTime);
}

function handleKey(event: KeyboardEvent): void {
  const isUsed = event.target instanceof Element && event.target.matches("input, select, video");
  if (isUsed || event.ctrlKey || event.metaKey || event.altKey) return;
  const isButton = event.target instanceof Element && event.target.matches("button, a");
  if (event.key.toLowerCase() === "e") jumpToError(event.shiftKey ? -1 : 1);
  else if (event.key === "ArrowLeft") seek(video.currentTime - STEP_SECONDS);
  else if (event.key === "ArrowRight") seek(video.currentTime + STEP_SECONDS);
  else if (event.key === " " && !isButton) togglePlay();
  else return;
  event.preventDefault();
}

function togglePlay(): void {
  if (video.paused) video.play().catch(() => undefined);
  else video.pause();
}

function start(): void {
  load().catch(() => notify("The service is not responding", "Reload this page to try again."));
}

video.addEventListener("timeupdate", followPlaying);
video.addEventListener("seeking", followVideo);
video.addEventListener("error", () => {
  video.hidden = true;
  showNote("The video cannot be played here. Download it or reload this page to try again.");
});
speed.addEventListener("change", () => {
  video.playbackRate = Number(speed.value);
});
copyLink.addEventListener("click", () => void copyMoment());
addEventListener("hashchange", seekToLink);
find("#previous-error", HTMLElement).addEventListener("click", () => jumpToError(-1));
find("#next-error", HTMLElement).addEventListener("click", () => jumpToError(1));
document.addEventListener("keydown", handleKey);
start();
