import { logError } from "../../common/log.ts";
import { refusalOf } from "../connection/control-connection.ts";
import type { CDPSession } from "../connection/puppeteer.ts";
import type { Tab } from "../tabs/tab.ts";
import type { Tabs } from "../tabs/tabs.ts";
import { bringFiles, FileNotFoundError } from "./brought-files.ts";
import type { BrowserDisk } from "./browser-disk.ts";
import { dismissChooser, type FileInput, giveFiles, inputOfSession } from "./file-input.ts";
import type { SessionFiles } from "./session-files.ts";
import { readTypedPaths } from "./typed-paths.ts";

/** Chrome allows file choosers for this long after user input. */
const ANSWER_TO_INPUT_MS = 5000;

const FIELD_BEGINS_WITH = "/home/kernel/";
const WANTED = { one: "Path of a file", several: 'Path of a file, or of several, each in "quotes"' };

interface FileChoosersOptions {
  disk: BrowserDisk;
  files: SessionFiles;
  tabs: Tabs;
}

interface Chooser {
  tab: Tab;
  input: FileInput;
  takesSeveral: boolean;
}

/**
 * Shows file choosers that Berth's mouse and keyboard open as dialogs with a path field. Clients handle the
 * choosers that they open themselves.
 */
export class FileChoosers {
  readonly #options: FileChoosersOptions;

  constructor(options: FileChoosersOptions) {
    this.#options = options;
  }

  /** @param session of a page, or of a frame with its own target. */
  async follow(session: CDPSession): Promise<void> {
    session.on("Page.fileChooserOpened", ({ mode, backendNodeId }) => {
      const tab = this.#findUsedTab();
      if (tab === undefined || backendNodeId === undefined) return;
      const input = inputOfSession(session, backendNodeId);
      this.#open({ tab, input, takesSeveral: mode === "selectMultiple" }, FIELD_BEGINS_WITH);
    });
    await Promise.all([
      session.send("Page.enable"),
      session.send("Page.setInterceptFileChooserDialog", { enabled: true }),
    ]);
  }

  /** Called when a client has set the files. */
  closeAll(): void {
    for (const tab of this.#options.tabs.all()) tab.closeFileChooser();
  }

  #findUsedTab(): Tab | undefined {
    const since = Date.now() - ANSWER_TO_INPUT_MS;
    const used = this.#options.tabs.all().filter(({ lastInputAt }) => lastInputAt > since);
    return used.sort((one, other) => other.lastInputAt - one.lastInputAt)[0];
  }

  #open(chooser: Chooser, typed: string, problem?: string): void {
    const wanted = chooser.takesSeveral ? WANTED.several : WANTED.one;
    const message = problem === undefined ? wanted : `${problem}\n${wanted}`;
    chooser.tab.openFileChooser({ message, defaultText: typed }, async (answer) => {
      const trouble = await this.#answer(chooser, answer).catch(explain);
      if (trouble !== "") this.#open(chooser, answer ?? typed, trouble);
    });
  }

  /** @returns the problem; empty on success. */
  async #answer({ input, takesSeveral }: Chooser, answer: string | undefined): Promise<string> {
    if (answer === undefined) {
      await dismissChooser(input);
      return "";
    }
    const { disk, files } = this.#options;
    const paths = readTypedPaths(answer);
    if (paths.length === 0) return "No path was typed";
    if (paths.length > 1 && !takesSeveral) return "Only one file is wanted";
    return giveFiles(input, await bringFiles(disk, files, paths));
  }
}

function explain(error: unknown): string {
  if (error instanceof FileNotFoundError) return error.message;
  // The page or the input is gone.
  if (refusalOf(error) !== undefined) return "";
  logError("file_not_given", error);
  return "The file cannot be opened";
}
