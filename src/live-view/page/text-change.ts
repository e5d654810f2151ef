import type { ViewerMessage } from "../protocol.ts";
import { keyPress } from "./keys.ts";

/** Pieces of so many characters, of which each may count twice, are as long as the service takes. */
const PIECE = /.{1,5000}/gsu;

/** What types the change of a field's text in the remote browser: the caret is at the end before and after. */
export function messagesOfChange(before: string, after: string): ViewerMessage[] {
  const old = charactersOf(before);
  const present = charactersOf(after);
  let kept = 0;
  while (kept < old.length && old[kept] === present[kept]) kept++;
  const removed = old.slice(kept).flatMap(() => keyPress("Backspace"));
  return [...removed, ...messagesOfText(present.slice(kept).join(""))];
}

/** What a person takes for one character, and one Backspace deletes: a flag, a face with its skin. */
function charactersOf(text: string): string[] {
  return Array.from(new Intl.Segmenter().segment(text), ({ segment }) => segment);
}

function messagesOfText(text: string): ViewerMessage[] {
  return text.split(/(\r?\n)/).flatMap((line): ViewerMessage[] => {
    if (line.endsWith("\n")) return keyPress("Enter");
    return (line.match(PIECE) ?? []).map((piece) => ({ type: "text", text: piece }));
  });
}
