import { ACCOUNT_SEPARATOR, type BrowserBinding, listBrowsers } from "../browser/index.ts";
import { logError } from "../common/log.ts";
import { readSettings } from "../common/settings.ts";

/** The account of this Worker. Ids of its browsers are those of the platform. */
const OWN_ACCOUNT = "";

/** The names of all accounts whose browsers are used. */
export function accountNames(env: Env): string[] {
  return [OWN_ACCOUNT, ...readSettings(env).browserAccounts.map(({ name }) => name)];
}

/** Names a browser for the whole service: `<account>~<id>`, or the platform's id in the account of this Worker. */
export function toBrowserId(account: string, platformId: string): string {
  return account === OWN_ACCOUNT ? platformId : `${account}${ACCOUNT_SEPARATOR}${platformId}`;
}

export function accountOf(browserId: string): string {
  return browserId.includes(ACCOUNT_SEPARATOR)
    ? browserId.slice(0, browserId.indexOf(ACCOUNT_SEPARATOR))
    : OWN_ACCOUNT;
}

/**
 * The binding that serves a browser, by its id. It answers nothing when the account is not configured any more.
 *
 * @example
 * await openDevToolsSocket(bindingOf(env, browserId), browserId);
 */
export function bindingOf(env: Env, browserId: string): BrowserBinding {
  return accountBinding(env, accountOf(browserId));
}

export function accountBinding(env: Env, name: string): BrowserBinding {
  if (name === OWN_ACCOUNT) return env.BROWSER;
  const { browserAccounts, browserAccountsToken } = readSettings(env);
  const account = browserAccounts.find((other) => other.name === name);
  if (account?.url !== undefined) return new RemoteAccount(account.url, browserAccountsToken);
  const binding: unknown = account?.binding && Reflect.get(env, account.binding);
  if (isBinding(binding)) return binding;
  return { fetch: () => Promise.reject(new Error(`The browser account "${name}" is not configured`)) };
}

/** An account behind a Worker of its own, which offers the interface of the browser binding. */
class RemoteAccount implements BrowserBinding {
  readonly #url: string;
  readonly #token: string;

  constructor(url: string, token: string) {
    this.#url = url;
    this.#token = token;
  }

  fetch(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
    const request = new Request(input, init);
    const { pathname, search } = new URL(request.url);
    const headers = new Headers(request.headers);
    headers.set("authorization", `Bearer ${this.#token}`);
    const { method, signal } = request;
    // A redirect would take the token elsewhere.
    return fetch(new URL(`${pathname}${search}`, this.#url), { method, headers, signal, redirect: "manual" });
  }
}

function isBinding(value: unknown): value is BrowserBinding {
  return typeof value === "object" && value !== null && typeof Reflect.get(value, "fetch") === "function";
}

interface AccountBrowsers {
  /** Launch times in milliseconds since the epoch by the browser's id; undefined where unknown. */
  browsers: Map<string, number | undefined>;
  /** Accounts that did not answer. */
  silent: Set<string>;
}

/** Lists the browsers of all accounts. @throws BrowserUnavailableError when no account answers. */
export async function listAllBrowsers(env: Env): Promise<AccountBrowsers> {
  const names = accountNames(env);
  const lists = await Promise.allSettled(names.map((name) => listAccount(env, name)));
  const silent = new Set(names.filter((_, index) => lists[index]?.status === "rejected"));
  const failures = lists.flatMap((list) => (list.status === "rejected" ? [list.reason] : []));
  if (silent.size === names.length) throw failures[0];
  for (const failure of failures) logError("browser_list_failed", failure);
  const listed = lists.flatMap((list) => (list.status === "fulfilled" ? list.value : []));
  return { browsers: new Map(listed), silent };
}

async function listAccount(env: Env, name: string): Promise<[string, number | undefined][]> {
  const browsers = await listBrowsers(accountBinding(env, name));
  return [...browsers].map(([id, startedAt]) => [toBrowserId(name, id), startedAt]);
}
