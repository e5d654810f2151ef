import { z } from "zod";
import type { MainContext } from "../contexts/main-context.ts";
import type { PrivateContexts } from "../contexts/private-contexts.ts";
import {
  type ClientCommand,
  CommandError,
  type CommandOutcome,
  INVALID_PARAMETERS,
  METHOD_NOT_FOUND,
  SERVER_ERROR,
  type SendCommand,
} from "./client-command.ts";

const METHODS = new Set([
  "Target.getBrowserContexts",
  "Target.createBrowserContext",
  "Target.disposeBrowserContext",
]);

const DIRECT = /^\s*$|\bdirect:/i;

const listedSchema = z.looseObject({ browserContextIds: z.array(z.string()) });
const createdSchema = z.object({ browserContextId: z.string() });
const givenSchema = z.looseObject({ proxyServer: z.string().optional() });
const disposedSchema = z.looseObject({ browserContextId: z.string() });

export interface ContextBrowser {
  privateContexts: Pick<PrivateContexts, "has">;
  mainContext: MainContext | undefined;
  authenticate: (contextId: string) => Promise<void>;
}

/**
 * Serves a client's commands about browser contexts. Clients see the session's main context as the default
 * one, and new contexts get the session's proxy unless the client names another.
 */
export class ClientContexts {
  readonly #connect: () => Promise<ContextBrowser>;

  constructor(connect: () => Promise<ContextBrowser>) {
    this.#connect = connect;
  }

  serves({ method }: ClientCommand): boolean {
    return METHODS.has(method);
  }

  async serve({ method, params }: ClientCommand, ask: SendCommand): Promise<CommandOutcome> {
    const browser = await this.#connect().catch(() => {
      throw new CommandError(SERVER_ERROR, "The browser does not answer");
    });
    switch (method) {
      case "Target.getBrowserContexts":
        return { result: await listContexts(browser, ask) };
      case "Target.createBrowserContext":
        return createContext(browser, params, ask);
      case "Target.disposeBrowserContext": {
        const given = read(disposedSchema, params);
        const { browserContextId: id } = given;
        if (id === browser.mainContext?.id || browser.privateContexts.has(id)) {
          throw new CommandError(SERVER_ERROR, `Failed to find context with id ${id}`);
        }
        return { method, params: given };
      }
      default:
        throw new CommandError(METHOD_NOT_FOUND, `'${method}' wasn't found`);
    }
  }
}

async function listContexts({ privateContexts, mainContext }: ContextBrowser, ask: SendCommand) {
  const listed = listedSchema.parse(await ask("Target.getBrowserContexts", {}));
  const isPublic = (id: string) => !privateContexts.has(id) && id !== mainContext?.id;
  return {
    ...listed,
    browserContextIds: listed.browserContextIds.filter(isPublic),
    ...(mainContext === undefined ? {} : { defaultBrowserContextId: mainContext.id }),
  };
}

async function createContext(
  browser: ContextBrowser,
  params: unknown,
  ask: SendCommand,
): Promise<CommandOutcome> {
  const method = "Target.createBrowserContext";
  const given = read(givenSchema, params);
  const main = browser.mainContext;
  const isOwn = given.proxyServer !== undefined && !DIRECT.test(given.proxyServer);
  if (isOwn || main?.proxy === undefined) return { method, params: given };
  const result = await ask(method, { ...given, ...main.proxy });
  const { browserContextId } = createdSchema.parse(result);
  try {
    await browser.authenticate(browserContextId);
    // A proxy change closes all known contexts, and may not have known this one.
    if (browser.mainContext?.id !== main.id) throw new Error("the session has another proxy now");
    return { result };
  } catch {
    await ask("Target.disposeBrowserContext", { browserContextId }).catch(() => undefined);
    throw new CommandError(SERVER_ERROR, "The session's proxy cannot be used now; try again");
  }
}

function read<Schema extends z.ZodType>(schema: Schema, params: unknown): z.infer<Schema> {
  const parsed = schema.safeParse(params ?? {});
  if (!parsed.success) throw new CommandError(INVALID_PARAMETERS, "Invalid parameters");
  return parsed.data;
}
