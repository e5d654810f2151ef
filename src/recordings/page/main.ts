import type { ReplayDocument } from "../replay-document.ts";
import { find } from "./elements.ts";
import { EventList } from "./event-list.ts";
import { findError, formatTime, type Item, listItems } from "./items.ts";
import { TimeLine } from "./time-line.ts";

const RECHECK_MS = 5000;
const STEP_SECONDS = 5;

const video = find("#video", HTMLVideoElement);
const list = new EventList(seek);
const line = new TimeLine(seek);
let items: Item[] = [];

/** The address of what the page loads, with the page's token. */
function addressOf(name: string): string {
  return `${location.pathname}/${name}${location.search}`;
}

function seek(time: number): void {
  video.currentTime = time;
}

function jumpToError(direction: 1 | -1): void {
  const error = findError(items, video.currentTime, direction);
  if (error !== undefined) seek(error.time);
}

function notify(title: string, text: string): void {
  find("#player", HTMLElement).hidden = true;
  find("#notice", HTMLElement).hidden = false;
  find("#notice-title", HTMLElement).textContent = title;
  find("#notice-text", HTMLElement).textContent = text;
}

async function load(): Promise<void> {
  const response = await fetch(addressOf("events"));
  if (!response.ok) {
    const { message } = await response.json();
    return notify("This recording cannot be shown", String(message));
  }
  const document: ReplayDocument = await response.json();
  const { finishedAt, sizeBytes } = document.recording;
  showFacts(document.recording);
  if (finishedAt === null) {
    setTimeout(start, RECHECK_MS);
    return notify("Still recording", "The video appears here when the recording has ended.");
  }
  if (sizeBytes === 0) return notify("This recording is empty", "No picture was recorded.");
  show(document, (finishedAt - document.recording.startedAt) / 1000);
}

function showFacts({ startedAt, finishedAt, sizeBytes, note }: ReplayDocument["recording"]): void {
  const facts = [new Date(startedAt).toLocaleString([], { dateStyle: "medium", timeStyle: "short" })];
  if (finishedAt !== null) {
    facts.push(formatTime((finishedAt - startedAt) / 1000), `${(sizeBytes / 1_000_000).toFixed(1)} MB`);
  }
  find("#facts", HTMLElement).textContent = facts.join("\u00a0· ");
  const noteBox = find("#note", HTMLElement);
  noteBox.textContent = note ?? "";
  noteBox.hidden = note === null;
}

function show(document: ReplayDocument, duration: number): void {
  items = listItems(document);
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
  followVideo();
}

function followVideo(): void {
  line.moveTo(video.currentTime);
  list.moveTo(video.currentTime);
}

function handleKey(event: KeyboardEvent): void {
  const isUsed = event.target instanceof Element && event.target.matches("select, video");
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
  load().catch(() => notify("This recording cannot be shown", "The service does not answer."));
}

video.addEventListener("timeupdate", followVideo);
video.addEventListener("seeking", followVideo);
video.addEventListener("error", () => notify("This recording cannot be played", video.error?.message ?? ""));
find("#previous-error", HTMLElement).addEventListener("click", () => jumpToError(-1));
find("#next-error", HTMLElement).addEventListener("click", () => jumpToError(1));
document.addEventListener("keydown", handleKey);
start();
