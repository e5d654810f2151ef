import { withHelperPage } from "../connection/helper-page.ts";
import type { Connection } from "../connection/puppeteer.ts";

/** Key codes of Ctrl+V, with the editing command that it stands for. */
const PASTE = {
  type: "rawKeyDown",
  key: "v",
  code: "KeyV",
  windowsVirtualKeyCode: 86,
  modifiers: 2,
  commands: ["paste"],
} as const;

const ADD_FIELD = `() => {
  const field = document.createElement("textarea");
  document.body.append(field);
  field.focus();
  return "";
}`;

/** No answer of the browser's may have 32 MiB. */
const READ_FIELD = `() => document.querySelector("textarea").value.slice(0, 5_000_000)`;

const COPY = `(text) => {
  const field = document.createElement("textarea");
  document.body.append(field);
  field.value = text;
  field.select();
  if (!document.execCommand("copy")) throw new Error("nothing was copied");
  return "";
}`;

/** Clears the clipboard: a copy of nothing copies nothing, but an event's data may be empty. */
const CLEAR = `() => {
  document.addEventListener("copy", (event) => {
    event.clipboardData.setData("text/plain", "");
    event.preventDefault();
  });
  document.execCommand("copy");
  return "";
}`;

/**
 * The text in the browser's clipboard; empty when there is none. Pasting is the one way to it that wants no
 * permission, which a page could see or use.
 */
export function readClipboard(connection: Connection): Promise<string> {
  return withHelperPage(connection, async (page) => {
    await page.call(ADD_FIELD, null);
    await page.session.send("Input.dispatchKeyEvent", { ...PASTE, commands: [...PASTE.commands] });
    return page.call(READ_FIELD, null);
  });
}

/** Puts text into the browser's clipboard, which all its pages share. */
export async function writeClipboard(connection: Connection, text: string): Promise<void> {
  await withHelperPage(connection, (page) => (text === "" ? page.call(CLEAR, null) : page.call(COPY, text)));
}
