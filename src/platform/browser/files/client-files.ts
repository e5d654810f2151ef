import { z } from "zod";
import { renameDroppedFiles } from "../../page-scripts/bundled.js";
import { toCall } from "../../page-scripts/page-function.ts";
import { refusalOf } from "../connection/control-connection.ts";
import {
  type ClientCommand,
  CommandError,
  type CommandHandler,
  type CommandOutcome,
  INVALID_PARAMETERS,
  METHOD_NOT_FOUND,
  SERVER_ERROR,
  type SendCommand,
} from "../relay/client-command.ts";
import type { BrowserDisk } from "./browser-disk.ts";
import type { BrowserDownloads } from "./browser-downloads.ts";
import { keepsFileName, toSavedName } from "./chrome-file-name.ts";
import { baseName, type CopiedFile, copyToBrowser, FileNotFoundError } from "./copied-files.ts";
import { type DownloadBehavior, toDirectory } from "./download-destinations.ts";
import type { Downloads } from "./downloads.ts";
import type { FileChoosers } from "./file-choosers.ts";
import { clientFileInput, setRenamedFiles } from "./file-input.ts";
import type { SessionFiles } from "./session-files.ts";

/** How long after the copy of its files a drop is expected. */
const DROP_TIMEOUT_MS = 10_000;

const behaviorSchema = z.object({
  behavior: z.string(),
  downloadPath: z.string().optional(),
  browserContextId: z.string().optional(),
  eventsEnabled: z.unknown().optional(),
});

const fileInputSchema = z.looseObject({
  files: z.array(z.string()),
  nodeId: z.unknown().optional(),
  backendNodeId: z.unknown().optional(),
  objectId: z.unknown().optional(),
});

const dragSchema = z.looseObject({
  type: z.string(),
  data: z.looseObject({ files: z.array(z.string()).default([]) }),
});

const targetSchema = z.object({
  targetInfo: z.object({ type: z.string(), browserContextId: z.string().optional() }),
});

const eventSchema = z.looseObject({
  method: z.string(),
  params: z.looseObject({
    guid: z.string(),
    frameId: z.string().optional(),
    state: z.string().optional(),
    filePath: z.string().optional(),
  }),
});

type DownloadEvent = z.infer<typeof eventSchema>;

export interface FileBrowser {
  disk: Pick<BrowserDisk, "directory" | "write" | "isOwnFrame">;
  downloads: Pick<BrowserDownloads, "setBehavior" | "apply" | "eventsContext">;
  fileChoosers: Pick<FileChoosers, "closeAll">;
}

interface ClientFilesOptions {
  files: SessionFiles;
  downloads: Downloads;
  connect: () => Promise<FileBrowser>;
  connected: () => FileBrowser | undefined;
  onFailure: (error: unknown) => void;
}

/** Translates file paths for one client, who uses those of the session's machine, not of the browser's. */
export class ClientFiles implements CommandHandler {
  readonly #options: ClientFilesOptions;
  readonly #hidden = new Set<string>();

  constructor(options: ClientFilesOptions) {
    this.#options = options;
  }

  async serve(command: ClientCommand, ask: SendCommand): Promise<CommandOutcome> {
    try {
      return await this.#serve(await this.#options.connect(), command, ask);
    } catch (error) {
      if (error instanceof CommandError) throw error;
      const refusal = refusalOf(error);
      if (refusal !== undefined) throw new CommandError(INVALID_PARAMETERS, refusal);
      this.#options.onFailure(error);
      throw new CommandError(SERVER_ERROR, "The session's files cannot be reached");
    }
  }

  handleFrame(frame: string): string | undefined | Promise<string> {
    const event = readDownloadEvent(frame);
    if (event === undefined) return frame;
    const { guid, frameId, state } = event.params;
    if (frameId !== undefined && this.#options.connected()?.disk.isOwnFrame(frameId)) {
      this.#hidden.add(guid);
      return undefined;
    }
    if (this.#hidden.has(guid)) {
      if (state !== "inProgress") this.#hidden.delete(guid);
      return undefined;
    }
    return state === "completed" ? this.#replaceStoredPath(event) : frame;
  }

  end(): void {
    const { downloads, connected } = this.#options;
    for (const contextId of downloads.behaviors.remove(this)) {
      connected()
        ?.downloads.apply(contextId)
        .catch(() => undefined);
    }
  }

  async #serve(browser: FileBrowser, command: ClientCommand, ask: SendCommand): Promise<CommandOutcome> {
    const { method, params } = command;
    switch (method) {
      case "Browser.setDownloadBehavior": {
        const { browserContextId, eventsEnabled, ...wish } = read(behaviorSchema, params);
        await browser.downloads.setBehavior(this, browserContextId, toBehavior(wish));
        return {
          method,
          params: {
            behavior: "default",
            browserContextId: await browser.downloads.eventsContext(),
            eventsEnabled,
          },
        };
      }
      case "Page.setDownloadBehavior": {
        const behavior = toBehavior(read(behaviorSchema, params));
        const { targetInfo } = targetSchema.parse(await ask("Target.getTargetInfo", {}));
        if (targetInfo.type === "browser") {
          throw new CommandError(METHOD_NOT_FOUND, `'${method}' wasn't found`);
        }
        await browser.downloads.setBehavior(this, targetInfo.browserContextId, behavior);
        return { result: {} };
      }
      case "DOM.setFileInputFiles": {
        const given = read(fileInputSchema, params);
        const files = await this.#copyFiles(browser, given.files);
        browser.fileChoosers.closeAll();
        if (files.every(({ name }) => keepsFileName(name))) {
          return { method, params: { ...given, files: files.map(({ path }) => path) } };
        }
        const problem = await setRenamedFiles(clientFileInput(ask, given), files);
        if (problem !== "") throw new CommandError(SERVER_ERROR, problem);
        return { result: {} };
      }
      case "Input.dispatchDragEvent": {
        const { data, ...given } = read(dragSchema, params);
        const withFiles = (files: string[]) => ({ method, params: { ...given, data: { ...data, files } } });
        // Before the drop, a page sees the number of files but not their content.
        if (given.type !== "drop") return withFiles(await namesOnly(browser, data.files));
        const files = await this.#copyFiles(browser, data.files);
        if (!files.every(({ name }) => keepsFileName(name))) await renameNextDrop(ask, files);
        return withFiles(files.map(({ path }) => path));
      }
      default:
        throw new CommandError(METHOD_NOT_FOUND, `'${method}' wasn't found`);
    }
  }

  async #copyFiles({ disk }: FileBrowser, paths: string[]): Promise<CopiedFile[]> {
    try {
      return await copyToBrowser(disk, this.#options.files, paths);
    } catch (error) {
      if (error instanceof FileNotFoundError) throw new CommandError(SERVER_ERROR, error.message);
      throw error;
    }
  }

  async #replaceStoredPath(event: DownloadEvent): Promise<string> {
    const stored = await this.#options.downloads.waitUntilStored(event.params.guid);
    const { filePath, ...rest } = event.params;
    const params =
      stored === undefined
        ? { ...rest, state: "canceled" }
        : // Older browsers do not report where a file is.
          { ...event.params, ...(filePath === undefined ? {} : { filePath: stored.pathFor(this) }) };
    return JSON.stringify({ ...event, params });
  }
}

/** In all frames of the page that are not in other processes. */
async function renameNextDrop(ask: SendCommand, files: readonly CopiedFile[]): Promise<void> {
  const saved = files.map(({ path }) => baseName(path));
  const names = files.map(({ name }) => name);
  const source = toCall(renameDroppedFiles, saved, names, DROP_TIMEOUT_MS);
  const script = await ask("Page.addScriptToEvaluateOnNewDocument", { source, runImmediately: true });
  await ask("Page.removeScriptToEvaluateOnNewDocument", script);
}

async function namesOnly({ disk }: FileBrowser, paths: string[]): Promise<string[]> {
  const directory = await disk.directory();
  return paths.map((path) => `${directory}/${crypto.randomUUID()}/${toSavedName(baseName(path))}`);
}

/** @returns undefined if the client leaves downloads to the browser or names a local directory. */
function toBehavior(wish: { behavior: string; downloadPath?: string }): DownloadBehavior | undefined {
  const { behavior, downloadPath } = wish;
  if (behavior === "deny") return { kind: "deny" };
  if (behavior !== "allow" && behavior !== "allowAndName") return undefined;
  if (downloadPath === undefined) throw new CommandError(INVALID_PARAMETERS, "downloadPath not provided");
  const directory = toDirectory(downloadPath);
  return directory === undefined ? undefined : { kind: behavior, directory };
}

function read<Schema extends z.ZodType>(schema: Schema, params: unknown): z.infer<Schema> {
  const parsed = schema.safeParse(params ?? {});
  if (!parsed.success) throw new CommandError(INVALID_PARAMETERS, "Invalid parameters");
  return parsed.data;
}

function readDownloadEvent(frame: string): DownloadEvent | undefined {
  const parsed = eventSchema.safeParse(JSON.parse(frame));
  const isOne = parsed.success && /^(Browser|Page)\.download(WillBegin|Progress)$/.test(parsed.data.method);
  return isOne ? parsed.data : undefined;
}
