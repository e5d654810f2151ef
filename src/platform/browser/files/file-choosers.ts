import { logError } from "../../../lib/common/log.ts";
import { refusalOf } from "../connection/control-connection.ts";
import type { CDPSession } from "../connection/puppeteer.ts";
import type { Tab } from "../tabs/tab.ts";
import type { Tabs } from "../tabs/tabs.ts";
import type { BrowserDisk } from "./browser-disk.ts";
import { copyToBrowser, FileNotFoundError } from "./copied-files.ts";
import { dismissChooser, type FileInput, sessionFileInput, setInputFiles } from "./file-input.ts";
import type { SessionFiles } from "./session-files.ts";
import { readTypedPaths } from "./typed-paths.ts";

/** Chrome allows file choosers for this long after user input. */
const MAX_INPUT_AGE_MS = 5000;

const INITIAL_PATH = "/home/kernel/";
const PROMPTS = { one: "Path of a file", several: 'Path of a file, or of several, each in "quotes"' };

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

/** Shows file choosers of Berth's mouse and keyboard as dialogs with a path. Clients handle their own. */
export class FileChoosers {
  readonly #options: FileChoosersOptions;

  constructor(options: FileChoosersOptions) {
    this.#options = options;
  }

  async follow(session: CDPSession): Promise<void> {
    session.on("Page.fileChooserOpened", ({ mode, backendNodeId }) => {
      const tab = this.#findTabWithInput();
      if (tab === undefined || backendNodeId === undefined) return;
      const input = sessionFileInput(session, backendNodeId);
      this.#open({ tab, input, takesSeveral: mode === "selectMultiple" }, INITIAL_PATH);
    });
    await Promise.all([
      session.send("Page.enable"),
      session.send("Page.setInterceptFileChooserDialog", { enabled: true }),
    ]);
  }

  closeAll(): void {
    for (const tab of this.#options.tabs.all()) tab.closeFileChooser();
  }

  #findTabWithInput(): Tab | undefined {
    const since = Date.now() - MAX_INPUT_AGE_MS;
    const used = this.#options.tabs.all().filter(({ lastInputAt }) => lastInputAt > since);
    return used.sort((one, other) => other.lastInputAt - one.lastInputAt)[0];
  }

  #open(chooser: Chooser, typed: string, problem?: string): void {
    const wanted = chooser.takesSeveral ? PROMPTS.several : PROMPTS.one;
    const message = problem === undefined ? wanted : `${problem}\n${wanted}`;
    chooser.tab.openFileChooser({ message, defaultText: typed }, async (answer) => {
      const newProblem = await this.#answer(chooser, answer).catch(explain);
      if (newProblem !== "") this.#open(chooser, answer ?? typed, newProblem);
    });
  }

  async #answer({ input, takesSeveral }: Chooser, answer: string | undefined): Promise<string> {
    if (answer === undefined) {
      await dismissChooser(input);
      return "";
    }
    const { disk, files } = this.#options;
    const paths = readTypedPaths(answer);
    if (paths.length === 0) return "No path was typed";
    if (paths.length > 1 && !takesSeveral) return "Only one file is accepted";
    return setInputFiles(input, await copyToBrowser(disk, files, paths));
  }
}

function explain(error: unknown): string {
  if (error instanceof FileNotFoundError) return error.message;
  if (refusalOf(error) !== undefined) return "";
  logError("file_not_given", error);
  return "The file cannot be opened";
}
