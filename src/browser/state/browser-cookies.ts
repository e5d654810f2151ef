import type { Protocol } from "devtools-protocol";
import { z } from "zod";
import { refusalOf } from "../connection/control-connection.ts";
import type { Connection } from "../connection/puppeteer.ts";

/** A cookie as a browser is given it; what else browsers tell of theirs is left out. */
export const cookieSchema = z.object({
  name: z.string(),
  value: z.string(),
  /** It begins with a dot where the cookie is for the domains below it too. */
  domain: z.string(),
  path: z.string(),
  /** In seconds since 1970; absent: until the browser ends. */
  expires: z.number().optional(),
  httpOnly: z.boolean(),
  secure: z.boolean(),
  sameSite: z.enum(["Strict", "Lax", "None"]).optional(),
  priority: z.enum(["Low", "Medium", "High"]).optional(),
  sourceScheme: z.enum(["Unset", "NonSecure", "Secure"]).optional(),
  sourcePort: z.int().optional(),
  /** Of a partitioned cookie: the site that its own is embedded in. Older browsers have a text. */
  partitionKey: z
    .union([z.object({ topLevelSite: z.string(), hasCrossSiteAncestor: z.boolean() }), z.string()])
    .optional(),
});

export type BrowserCookie = z.infer<typeof cookieSchema>;

/** Every cookie of a browser context, HttpOnly ones too. */
export async function readCookies(
  connection: Connection,
  browserContextId?: string,
): Promise<BrowserCookie[]> {
  const { cookies } = await connection.send("Storage.getCookies", { browserContextId });
  // Those of an opaque partition are of one page's life.
  const lasting = cookies.filter((cookie) => !("partitionKeyOpaque" in cookie && cookie.partitionKeyOpaque));
  return lasting.map(({ expires, session, ...cookie }) =>
    cookieSchema.parse(session ? cookie : { ...cookie, expires }),
  );
}

/**
 * Sets cookies, over those of the same name, domain and path.
 *
 * @returns those that the browser refused, by name and domain.
 */
export async function writeCookies(
  connection: Connection,
  cookies: readonly BrowserCookie[],
  browserContextId?: string,
): Promise<string[]> {
  if (cookies.length === 0) return [];
  try {
    await connection.send("Storage.setCookies", { cookies: cookies.map(toParameter), browserContextId });
    return [];
  } catch (error) {
    if (refusalOf(error) === undefined) throw error;
  }
  const [first] = cookies;
  if (cookies.length === 1 && first !== undefined) return [`${first.name} of ${first.domain}`];
  // One that is refused takes the others with it.
  const middle = cookies.length >> 1;
  return [
    ...(await writeCookies(connection, cookies.slice(0, middle), browserContextId)),
    ...(await writeCookies(connection, cookies.slice(middle), browserContextId)),
  ];
}

function toParameter({ partitionKey, ...cookie }: BrowserCookie): Protocol.Network.CookieParam {
  // The protocol's types, which Puppeteer pins, have a text there.
  const partition: object = partitionKey === undefined ? {} : { partitionKey };
  return { ...cookie, ...partition };
}
