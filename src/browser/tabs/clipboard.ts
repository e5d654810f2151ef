import { addPasteField, clearClipboard, copyText, readPasteField } from "../../page-scripts/bundled.js";
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

/**
 * The text in the browser's clipboard; empty when there is none. Pasting is the one way to it that wants no
 * permission, which a page could see or use.
 */
export function readClipboard(connection: Connection): Promise<string> {
  return withHelperPage(connection, async (page) => {
    await page.call(addPasteField);
    await page.session.send("Input.dispatchKeyEvent", { ...PASTE, commands: [...PASTE.commands] });
    return page.call(readPasteField);
  });
}

/** Puts text into the browser's clipboard, which all its pages share. */
export async function writeClipboard(connection: Connection, text: string): Promise<void> {
  await withHelperPage(connection, (page) =>
    text === "" ? page.call(clearClipboard) : page.call(copyText, text),
  );
}
