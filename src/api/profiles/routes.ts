import type { CallerEnv } from "../../features/organizations/index.ts";
import {
  createProfileBodySchema,
  decryptContent,
  deleteProfileContents,
  describeContents,
  fetchContent,
  findProfile,
  insertProfile,
  listProfiles,
  loadProfile,
  MAX_CHARACTERS,
  MAX_ENTRIES,
  malformedContent,
  markProfileDeleted,
  presentProfile,
  profileContentsQuerySchema,
  profileContentsSchema,
  profileDownloadQuerySchema,
  profileListQuerySchema,
  profileParamSchema,
  profileSchema,
  renameProfile,
  updateProfileBodySchema,
} from "../../features/profiles/index.ts";
import { conflict, requireFound } from "../../lib/common/errors.ts";
import { newIdentifier } from "../../lib/common/identifiers.ts";
import { readSettings } from "../../lib/common/settings.ts";
import { openDatabase } from "../../lib/database/client.ts";
import type { ProjectScope } from "../../lib/database/project-scope.ts";
import type { ProfileRow } from "../../lib/database/schema/profiles.ts";
import { API_KEY_SECURITY, jsonRequest, jsonResponse, routesOf } from "../../lib/http/openapi.ts";
import { pageResponse, toPage } from "../../lib/http/pagination.ts";
import { newRouter } from "../../lib/http/router.ts";

const route = routesOf("Profiles", API_KEY_SECURITY);

export const profileRoutes = newRouter<CallerEnv>();

profileRoutes.openapi(
  route("post", "/profiles", {
    operationId: "createProfile",
    summary: "Create a profile",
    description:
      "It is empty. A session that selects it with `save_changes` saves its state into it when it ends.",
    request: { body: jsonRequest(createProfileBodySchema) },
    responses: { 200: jsonResponse(profileSchema, "The profile.") },
    errors: [409],
  }),
  async (c) => {
    const name = c.req.valid("json").name || null;
    const now = Date.now();
    const row: ProfileRow = {
      id: newIdentifier(),
      organizationId: c.var.caller.organizationId,
      projectId: c.var.caller.projectId,
      name,
      contentId: null,
      sizeBytes: 0,
      createdAt: now,
      updatedAt: now,
      lastUsedAt: null,
      deletedAt: null,
    };
    if (!(await insertProfile(openDatabase(c.env.DB), row, readSettings(c.env).quotas)))
      throw nameTaken(name);
    return c.json(presentProfile(row), 200);
  },
);

profileRoutes.openapi(
  route("get", "/profiles", {
    operationId: "listProfiles",
    summary: "List profiles",
    description: "Newest first.",
    request: { query: profileListQuerySchema },
    responses: { 200: pageResponse(profileSchema, "A page of profiles.") },
  }),
  async (c) => {
    const query = c.req.valid("query");
    const rows = await listProfiles(openDatabase(c.env.DB), c.var.caller, query, query);
    const { items, headers } = toPage(rows, query);
    return c.json(items.map(presentProfile), 200, headers);
  },
);

profileRoutes.openapi(
  route("get", "/profiles/{id_or_name}", {
    operationId: "getProfile",
    summary: "Get a profile",
    description: "Its metadata, without cookies and storage. Download the profile to get those.",
    request: { params: profileParamSchema },
    responses: { 200: jsonResponse(profileSchema, "The profile.") },
  }),
  async (c) => {
    const row = await requireProfile(c.env, c.var.caller, c.req.valid("param"));
    return c.json(presentProfile(row), 200);
  },
);

profileRoutes.openapi(
  route("patch", "/profiles/{id_or_name}", {
    operationId: "renameProfile",
    summary: "Rename a profile",
    description: "Running sessions keep it.",
    request: { params: profileParamSchema, body: jsonRequest(updateProfileBodySchema) },
    responses: { 200: jsonResponse(profileSchema, "The profile.") },
    errors: [409],
  }),
  async (c) => {
    const { name } = c.req.valid("json");
    const { caller } = c.var;
    const { id } = await requireProfile(c.env, caller, c.req.valid("param"));
    const isRenamed = await renameProfile(openDatabase(c.env.DB), id, { name, at: Date.now() });
    if (!isRenamed) throw nameTaken(name);
    return c.json(presentProfile(await requireProfile(c.env, caller, { id_or_name: id })), 200);
  },
);

profileRoutes.openapi(
  route("delete", "/profiles/{id_or_name}", {
    operationId: "deleteProfile",
    summary: "Delete a profile",
    description:
      "Its content is deleted at once. Running sessions continue and save nothing; new sessions, and pools that " +
      "select it, fail.",
    request: { params: profileParamSchema },
    responses: { 204: { description: "Deleted." } },
  }),
  async (c) => {
    const { id } = await requireProfile(c.env, c.var.caller, c.req.valid("param"));
    const deleted = requireFound(await markProfileDeleted(openDatabase(c.env.DB), id, Date.now()), "profile");
    await deleteProfileContents(c.env, [deleted]);
    return c.body(null, 204);
  },
);

profileRoutes.openapi(
  route("get", "/profiles/{id_or_name}/download", {
    operationId: "downloadProfile",
    summary: "Download a profile",
    description:
      "The decrypted content as JSON: `cookies`, and the storage of each origin in `origins`. The format is Berth's own, " +
      "whatever `format` says, and not the archive of a Chrome user data directory.",
    request: { params: profileParamSchema, query: profileDownloadQuerySchema },
    responses: {
      200: {
        description: "The content.",
        content: { "application/json": { schema: { type: "string", format: "binary" } } },
      },
      202: { description: "Nothing has been saved yet." },
    },
  }),
  async (c) => {
    const { caller } = c.var;
    const { id } = await requireProfile(c.env, caller, c.req.valid("param"));
    const content = await fetchContent(c.env, caller, id);
    if (content === undefined) return c.body(null, 202);
    return c.body(await decryptContent(c.env, id, content), 200, { "content-type": "application/json" });
  },
);

profileRoutes.openapi(
  route("get", "/profiles/{id_or_name}/contents", {
    operationId: "listProfileContents",
    summary: "List a profile's contents",
    description:
      "Which cookies and storage it holds, without values unless `include_values` is set. Records of IndexedDB are only " +
      `counted. The response has at most ${MAX_ENTRIES.toLocaleString("en")} entries and ` +
      `${MAX_CHARACTERS / 1024 / 1024} Mi characters of names and values; what does not fit is left out, and \`truncated\` is true.`,
    request: { params: profileParamSchema, query: profileContentsQuerySchema },
    responses: {
      200: jsonResponse(profileContentsSchema, "The contents."),
      202: { description: "Nothing has been saved yet." },
    },
  }),
  async (c) => {
    const { caller } = c.var;
    const { id } = await requireProfile(c.env, caller, c.req.valid("param"));
    const state = await loadProfile(c.env, caller, id);
    if (state === undefined) return c.body(null, 202);
    const includesValues = c.req.valid("query").include_values;
    try {
      return c.json(describeContents(state, { includesValues }), 200);
    } catch (cause) {
      throw malformedContent(cause);
    }
  },
);

/** @throws ServiceError 404 when the project has no such profile. */
async function requireProfile(
  env: Env,
  scope: ProjectScope,
  { id_or_name }: { id_or_name: string },
): Promise<ProfileRow> {
  return requireFound(await findProfile(openDatabase(env.DB), scope, id_or_name), "profile");
}

function nameTaken(name: string | null) {
  return conflict(`name: another profile is named "${name}"`);
}
