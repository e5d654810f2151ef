import { z } from "zod";
import { dismissFileChooser, newFileInput, takeRenamedFiles } from "../../page-scripts/bundled.js";
import type { CDPSession } from "../connection/puppeteer.ts";
import type { SendCommand } from "../relay/client-command.ts";
import { keepsFileName } from "./chrome-file-name.ts";
import type { CopiedFile } from "./copied-files.ts";

const resolvedSchema = z.object({ object: z.object({ objectId: z.string() }) });
const calledSchema = z.object({
  result: z.object({ objectId: z.string().optional(), value: z.string().optional() }),
});

type Argument = { objectId: string } | { value: string[] };

interface Called {
  objectId?: string;
  value?: string;
}

export interface FileInput {
  resolve(): Promise<string>;
  call(objectId: string, functionDeclaration: string, args: Argument[], isObject: boolean): Promise<Called>;
  setFiles(objectId: string, files: string[]): Promise<void>;
}

export function clientFileInput(
  ask: SendCommand,
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

export function sessionFileInput(session: CDPSession, backendNodeId: number): FileInput {
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

export async function setInputFiles(input: FileInput, files: CopiedFile[]): Promise<string> {
  if (!files.every(({ name }) => keepsFileName(name))) return setRenamedFiles(input, files);
  await input.setFiles(
    await input.resolve(),
    files.map(({ path }) => path),
  );
  return "";
}

export async function setRenamedFiles(input: FileInput, files: CopiedFile[]): Promise<string> {
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
  // A page that navigates away returns no value.
  return value ?? "";
}

export async function dismissChooser(input: FileInput): Promise<void> {
  await input.call(await input.resolve(), dismissFileChooser, [], false);
}
