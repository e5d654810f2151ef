import { contentKey } from "./profile-content.ts";
import type { ProfileContent } from "./store.ts";

export async function deleteProfileContents(env: Env, deleted: readonly ProfileContent[]): Promise<void> {
  const keys = deleted.flatMap(({ id, organizationId, contentId }) =>
    contentId === null ? [] : [contentKey(organizationId, id, contentId)],
  );
  if (keys.length > 0) await env.FILES.delete(keys);
}
