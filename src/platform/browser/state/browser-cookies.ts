import type { Protocol } from "devtools-protocol";
import { z } from "zod";
import { refusalOf } from "../connection/control-connection.ts";
import type { Connection } from "../connection/puppeteer.ts";

export const cookieSchema = z.object({
  name: z.string(),
  value: z.string(),
  /** A leading dot includes subdomains. */
  domain: z.string(),
  path: z.string(),
  /** Seconds since the epoch; absent for a session cookie. */
  expires: z.number().optional(),
  httpOnly: z.boolean(),
  secure: z.boolean(),
  sameSite: z.enum(["Strict", "Lax", "None"]).optional(),
  priority: z.enum(["Low", "Medium", "High"]).optional(),
  sourceScheme: z.enum(["Unset", "NonSecure", "Secure"]).optional(),
  sourcePort: z.int().optional(),
  partitionKey: z
    .union([z.object({ topLevelSite: z.string(), hasCrossSiteAncestor: z.boolean() }), z.string()])
    .optional(),
});

export type BrowserCookie = z.infer<typeof cookieSchema>;

export async function readCookies(
  connection: Connection,
  browserContextId?: string,
): Promise<BrowserCookie[]> {
  const { cookies } = await connection.send("Storage.getCookies", { browserContextId });
  // Cookies of an opaque partition end with their page.
  const lasting = cookies.filter((cookie) => !("partitionKeyOpaque" in cookie && cookie.partitionKeyOpaque));
  return lasting.map(({ expires, session, ...cookie }) =>
    cookieSchema.parse(session ? cookie : { ...cookie, expires }),
  );
}

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
  // One refused cookie makes the browser refuse the whole list.
  const middle = cookies.length >> 1;
  return [
    ...(await writeCookies(connection, cookies.slice(0, middle), browserContextId)),
    ...(await writeCookies(connection, cookies.slice(middle), browserContextId)),
  ];
}

function toParameter({ partitionKey, ...cookie }: BrowserCookie): Protocol.Network.CookieParam {
  // The protocol version that Puppeteer pins has a string here.
  const partition: object = partitionKey === undefined ? {} : { partitionKey };
  return { ...cookie, ...partition };
}
