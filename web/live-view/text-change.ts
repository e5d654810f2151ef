import type { ViewerMessage } from "../../src/features/live-view/protocol.ts";
import { keyPress } from "./keys.ts";

/** The service accepts 10,000 UTF-16 units, and a character may have two. */
const PIECE = /.{1,5000}/gsu;

/** Assumes that the caret is at the end before and after the change. */
export function messagesOfChange(before: string, after: string): ViewerMessage[] {
  const old = charactersOf(before);
  const present = charactersOf(after);
  let kept = 0;
  while (kept < old.length && old[kept] === present[kept]) kept++;
  const removed = old.slice(kept).flatMap(() => keyPress("Backspace"));
  return [...removed, ...messagesOfText(present.slice(kept).join(""))];
}

/** Grapheme clusters, which one Backspace deletes. */
function charactersOf(text: string): string[] {
  return Array.from(new Intl.Segmenter().segment(text), ({ segment }) => segment);
}

function messagesOfText(text: string): ViewerMessage[] {
  return text.split(/(\r?\n)/).flatMap((line): ViewerMessage[] => {
    if (line.endsWith("\n")) return keyPress("Enter");
    return (line.match(PIECE) ?? []).map((piece) => ({ type: "text", text: piece }));
  });
}
