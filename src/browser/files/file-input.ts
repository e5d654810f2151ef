import { z } from "zod";
import { dismissFileChooser, newFileInput, takeRenamedFiles } from "../../page-scripts/bundled.js";
import type { CDPSession } from "../connection/puppeteer.ts";
import type { AskBrowser } from "../relay/client-command.ts";
import type { BroughtFile } from "./brought-files.ts";
import { isSavedAsNamed } from "./saved-name.ts";

const resolvedSchema = z.object({ object: z.object({ objectId: z.string() }) });
const calledSchema = z.object({
  result: z.object({ objectId: z.string().optional(), value: z.string().optional() }),
});

/** An argument of a call in a page. */
type Argument = { objectId: string } | { value: string[] };

/** What a call in a page came to. */
interface Called {
  objectId?: string;
  value?: string;
}

/** How commands reach a file input. */
export interface FileInput {
  /** @returns an object of the element. */
  resolve(): Promise<string>;
  /** Calls a function on an object; its result is a text, or an object where `isObject` says so. */
  call(objectId: string, functionDeclaration: string, args: Argument[], isObject: boolean): Promise<Called>;
  /** Gives files of the browser's disk to the input that an object is. */
  setFiles(objectId: string, files: string[]): Promise<void>;
}

/** An input as a client names it to `DOM.setFileInputFiles`, reached in the client's session. */
export function inputOfClient(
  ask: AskBrowser,
  named: { nodeId?: unknown; backendNodeId?: unknown; objectId?: unknown },
): FileInput {
  const { nodeId, backendNodeId, objectId } = named;
  return {
    async resolve() {
      if (typeof objectId === "string") return objectId;
      return resolvedSchema.parse(await ask("DOM.resolveNode", { nodeId, backendNodeId })).object.objectId;
    },
    async call(on, functionDeclaration, args, isObject) {
      const params = { objectId: on, functionDeclaration, arguments: args, returnByValue: !isObject };
      return calledSchema.parse(await ask("Runtime.callFunctionOn", params)).result;
    },
    async setFiles(on, files) {
      await ask("DOM.setFileInputFiles", { objectId: on, files });
    },
  };
}

/** An input in a page of the control connection's. */
export function inputOfSession(session: CDPSession, backendNodeId: number): FileInput {
  return {
    async resolve() {
      return resolvedSchema.parse(await session.send("DOM.resolveNode", { backendNodeId })).object.objectId;
    },
    async call(objectId, functionDeclaration, args, isObject) {
      const params = { objectId, functionDeclaration, arguments: args, returnByValue: !isObject };
      return calledSchema.parse(await session.send("Runtime.callFunctionOn", params)).result;
    },
    async setFiles(objectId, files) {
      await session.send("DOM.setFileInputFiles", { objectId, files });
    },
  };
}

/** Gives an input files. @returns what is wrong with it; an empty text where nothing is. */
export async function giveFiles(input: FileInput, files: BroughtFile[]): Promise<string> {
  if (!files.every(({ name }) => isSavedAsNamed(name))) return giveRenamed(input, files);
  await input.setFiles(
    await input.resolve(),
    files.map(({ path }) => path),
  );
  return "";
}

/**
 * Gives an input files under names that they do not have on the browser's disk. Its events come from a script then,
 * and say so.
 *
 * @returns what is wrong with the input; an empty text where nothing is.
 */
export async function giveRenamed(input: FileInput, files: BroughtFile[]): Promise<string> {
  const element = await input.resolve();
  const { objectId: source = "" } = await input.call(element, newFileInput, [], true);
  await input.setFiles(
    source,
    files.map(({ path }) => path),
  );
  const names = files.map(({ name }) => name);
  const { value } = await input.call(
    element,
    takeRenamedFiles,
    [{ objectId: source }, { value: names }],
    false,
  );
  // A page that leaves meanwhile has no value, and needs no files.
  return value ?? "";
}

/** Tells a page that a file chooser of its input was dismissed. */
export async function dismissChooser(input: FileInput): Promise<void> {
  await input.call(await input.resolve(), dismissFileChooser, [], false);
}
