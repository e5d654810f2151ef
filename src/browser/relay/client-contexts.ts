import { z } from "zod";
import type { MainContext } from "../contexts/main-context.ts";
import type { PrivateContexts } from "../contexts/private-contexts.ts";
import {
  type AskBrowser,
  type ClientCommand,
  type CommandOutcome,
  CommandRefusal,
  INVALID_PARAMETERS,
  METHOD_NOT_FOUND,
  SERVER_ERROR,
} from "./client-command.ts";

/** The commands that are served here. */
const METHODS = new Set([
  "Target.getBrowserContexts",
  "Target.createBrowserContext",
  "Target.disposeBrowserContext",
]);

/** What stands for no proxy, by itself or as a way out. */
const DIRECT = /^\s*$|\bdirect:/i;

const listedSchema = z.looseObject({ browserContextIds: z.array(z.string()) });
const createdSchema = z.object({ browserContextId: z.string() });
const givenSchema = z.looseObject({ proxyServer: z.string().optional() });
const disposedSchema = z.looseObject({ browserContextId: z.string() });

/** A browser as far as contexts go. */
export interface ContextBrowser {
  privateContexts: Pick<PrivateContexts, "has">;
  mainContext: MainContext | undefined;
  /** Tells a context the credentials of the session's proxy, where it has any. */
  authenticate: (contextId: string) => Promise<void>;
}

/**
 * Serves a client's commands about contexts: the session's main one is the default one to it, and those that it makes
 * have the session's proxy, unless it gives them another one.
 */
export class ClientContexts {
  readonly #connect: () => Promise<ContextBrowser>;

  /** @param connect the session's browser, connected. */
  constructor(connect: () => Promise<ContextBrowser>) {
    this.#connect = connect;
  }

  serves({ method }: ClientCommand): boolean {
    return METHODS.has(method);
  }

  /** @throws CommandRefusal */
  async serve({ method, params }: ClientCommand, ask: AskBrowser): Promise<CommandOutcome> {
    const browser = await this.#connect().catch(() => {
      throw new CommandRefusal(SERVER_ERROR, "The browser does not answer");
    });
    switch (method) {
      case "Target.getBrowserContexts":
        return { result: await listContexts(browser, ask) };
      case "Target.createBrowserContext":
        return createContext(browser, params, ask);
      case "Target.disposeBrowserContext": {
        const given = read(disposedSchema, params);
        const { browserContextId: id } = given;
        // As the browser answers about its own default one.
        if (id === browser.mainContext?.id || browser.privateContexts.has(id)) {
          throw new CommandRefusal(SERVER_ERROR, `Failed to find context with id ${id}`);
        }
        return { method, params: given };
      }
      default:
        throw new CommandRefusal(METHOD_NOT_FOUND, `'${method}' wasn't found`);
    }
  }
}

async function listContexts({ privateContexts, mainContext }: ContextBrowser, ask: AskBrowser) {
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
  ask: AskBrowser,
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
    // Another proxy closes the contexts that there are, and may not have heard of this one.
    if (browser.mainContext?.id !== main.id) throw new Error("the session has another proxy now");
    return { result };
  } catch {
    await ask("Target.disposeBrowserContext", { browserContextId }).catch(() => undefined);
    throw new CommandRefusal(SERVER_ERROR, "The session's proxy cannot be used now; try again");
  }
}

function read<Schema extends z.ZodType>(schema: Schema, params: unknown): z.infer<Schema> {
  const parsed = schema.safeParse(params ?? {});
  if (!parsed.success) throw new CommandRefusal(INVALID_PARAMETERS, "Invalid parameters");
  return parsed.data;
}
