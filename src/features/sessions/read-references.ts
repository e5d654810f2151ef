import { exports } from "cloudflare:workers";
import { badRequest, ServiceError } from "../../lib/common/errors.ts";
import { unwrap } from "../../lib/common/outcome.ts";
import type { ProjectScope } from "../../lib/database/project-scope.ts";
import type { BrowserProxy, BrowserState } from "../../platform/browser/index.ts";
import { readContent } from "../profiles/index.ts";

/** @throws ServiceError 400 when the proxy is gone or cannot be used. */
export async function readProxy(
  { organizationId, projectId }: ProjectScope,
  proxyId: string,
): Promise<BrowserProxy> {
  return unwrap(await exports.OutgoingCalls.readProxy({ organizationId, projectId }, proxyId));
}

/** @returns undefined if nothing has been saved yet. @throws ServiceError 400 when the profile is gone. */
export async function readProfile(
  env: Env,
  { organizationId, projectId }: ProjectScope,
  profileId: string,
): Promise<BrowserState | undefined> {
  const outcome = await exports.OutgoingCalls.readProfile({ organizationId, projectId }, profileId);
  try {
    const content = unwrap(outcome);
    return content === undefined ? undefined : await readContent(env, profileId, content);
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== "not_found") throw error;
    throw badRequest({ field: "profile", message: "profile not found" });
  }
}
