import { addPasteField, clearClipboard, copyText, readPasteField } from "../../page-scripts/bundled.js";
import { withHelperPage } from "../connection/helper-page.ts";
import type { Connection } from "../connection/puppeteer.ts";

const PASTE = {
  type: "rawKeyDown",
  key: "v",
  code: "KeyV",
  windowsVirtualKeyCode: 86,
  modifiers: 2,
  commands: ["paste"],
} as const;

/** Pasting needs no permission. A page could detect or use one. */
export function readClipboard(connection: Connection): Promise<string> {
  return withHelperPage(connection, async (page) => {
    await page.call(addPasteField);
    await page.session.send("Input.dispatchKeyEvent", { ...PASTE, commands: [...PASTE.commands] });
    return page.call(readPasteField);
  });
}

export async function writeClipboard(connection: Connection, text: string): Promise<void> {
  await withHelperPage(connection, (page) =>
    text === "" ? page.call(clearClipboard) : page.call(copyText, text),
  );
}
