import {
  AuthenticationError,
  BadRequestError,
  ConflictError,
  InternalServerError,
  NotFoundError,
  PermissionDeniedError,
  RateLimitError,
} from "@onkernel/sdk";
import { describe, expect, test } from "vitest";
import { errorOf } from "../conformance/error-of.ts";
import type { Organization } from "../conformance/service-client.ts";
import { SharedService } from "../conformance/shared-service.ts";

const service = await SharedService.use();

/** @returns a client with the SDK's default retries, and the requests that it has sent. */
function countingClient({ apiKey }: Pick<Organization, "apiKey">) {
  const sent: string[] = [];
  const kernel = service.kernel({
    apiKey,
    maxRetries: 2,
    fetch: (input, init) => {
      sent.push(`${init?.method} ${new URL(String(input)).pathname}`);
      return fetch(input, init);
    },
  });
  return { kernel, sent };
}

describe("errors of the Kernel SDK, without retries", () => {
  test("401 for an unknown key", async () => {
    const { kernel, sent } = countingClient({ apiKey: "nobody's-key" });
    const error = await errorOf(kernel.browsers.list());
    expect(error).toBeInstanceOf(AuthenticationError);
    expect(error.error).toMatchObject({ code: "unauthorized" });
    expect(error.headers?.get("www-authenticate")).toMatch(/^Bearer/);
    expect(sent).toHaveLength(1);
  });

  test("400 that names every invalid field", async () => {
    const { kernel, sent } = countingClient(service);
    const invalid = { timeout_seconds: 9, viewport: { width: 800, height: 600 } };
    const error = await errorOf(kernel.browsers.create(invalid));
    expect(error).toBeInstanceOf(BadRequestError);
    expect(error.error).toMatchObject({ code: "bad_request", inner_error: { code: "invalid_input" } });
    const details = expect.arrayContaining([
      { code: "invalid_input", message: expect.stringContaining("timeout_seconds") },
      { code: "invalid_input", message: expect.stringContaining("viewport") },
    ]);
    expect(error.error).toMatchObject({ details });
    expect(sent).toHaveLength(1);
  });

  test("404 for an unknown id or one of another organization", async () => {
    const { kernel, sent } = countingClient(await service.createOrganization());
    const { session_id } = await service.kernel().browsers.create({ name: "not-yours" });
    for (const idOrName of ["nosuchsession00000000000", session_id, "not-yours"]) {
      expect(await errorOf(kernel.browsers.retrieve(idOrName))).toBeInstanceOf(NotFoundError);
      expect(await errorOf(kernel.browsers.deleteByID(idOrName))).toBeInstanceOf(NotFoundError);
    }
    expect(sent).toHaveLength(6);
    await service.kernel().browsers.deleteByID(session_id);
  });

  test("409 for a name in use", async () => {
    const { kernel, sent } = countingClient(service);
    const { session_id } = await kernel.browsers.create({ name: "taken" });
    const error = await errorOf(kernel.browsers.create({ name: "taken" }));
    expect(error).toBeInstanceOf(ConflictError);
    expect(error.headers?.get("x-should-retry")).toBe("false");
    expect(sent).toHaveLength(2);
    await kernel.browsers.deleteByID(session_id);
  });

  test("429 at the organization's limit, until a session ends", async () => {
    const { kernel, sent } = countingClient(await service.createOrganization({ max_concurrent_sessions: 1 }));
    const { session_id } = await kernel.browsers.create();
    const error = await errorOf(kernel.browsers.create());
    expect(error).toBeInstanceOf(RateLimitError);
    expect(error.error).toMatchObject({ code: "too_many_requests" });
    expect(sent).toHaveLength(2);
    await kernel.browsers.deleteByID(session_id);
    await kernel.browsers.deleteByID((await kernel.browsers.create()).session_id);
  });

  test("501 for an unimplemented endpoint", async () => {
    const { kernel, sent } = countingClient(service);
    const error = await errorOf(kernel.credentials.list());
    expect(error).toBeInstanceOf(InternalServerError);
    expect(error.status).toBe(501);
    expect(error.error).toMatchObject({ code: "not_implemented" });
    expect(sent).toHaveLength(1);
  });
});

describe("organization", () => {
  test("returns the limits in force", async () => {
    const { apiKey } = await service.createOrganization({ max_concurrent_sessions: 7 });
    const limits = await service.kernel({ apiKey }).organization.limits.retrieve();
    expect(limits.max_concurrent_sessions).toBe(7);
    expect((await service.kernel().organization.limits.retrieve()).max_concurrent_sessions).toBe(100);
  });

  test("creates, lists, renames and deletes API keys", async () => {
    const first = service.kernel(await service.createOrganization());
    const created = await first.apiKeys.create({ name: "second key", days_to_expire: 30 });
    service.keepSecret(created.key);
    expect(created).toMatchObject({ name: "second key", project_id: null, deleted_at: null });
    const second = service.kernel({ apiKey: created.key });
    expect(await Array.fromAsync(second.browsers.list())).toEqual([]);

    const listed = await Array.fromAsync(first.apiKeys.list({ limit: 1 }));
    expect(listed.map(({ name }) => name)).toEqual(["second key", "first key"]);
    expect(JSON.stringify(listed)).not.toContain(created.key);

    await first.apiKeys.update(created.id, { name: "renamed" });
    expect(await first.apiKeys.retrieve(created.id)).toMatchObject({ id: created.id, name: "renamed" });

    await first.apiKeys.delete(created.id);
    expect(await errorOf(second.browsers.list())).toBeInstanceOf(AuthenticationError);
    expect(await errorOf(first.apiKeys.retrieve(created.id))).toBeInstanceOf(NotFoundError);
    const deleted = await Array.fromAsync(first.apiKeys.list({ status: "deleted" }));
    expect(deleted.map(({ id }) => id)).toEqual([created.id]);
  });

  test("rotates a key with an optional overlap", async () => {
    const first = service.kernel(await service.createOrganization());
    const old = await first.apiKeys.create({ name: "rotated" });
    service.keepSecret(old.key);
    const oldClient = service.kernel({ apiKey: old.key });
    const overlapping = await first.apiKeys.rotate(old.id);
    service.keepSecret(overlapping.key);
    expect(overlapping).toMatchObject({ name: "rotated" });
    expect(overlapping.id).not.toBe(old.id);
    expect(overlapping.key).not.toBe(old.key);
    await oldClient.browsers.list();
    const successor = await first.apiKeys.rotate(overlapping.id, { expire_in_days: 0 });
    service.keepSecret(successor.key);
    expect(await errorOf(service.kernel({ apiKey: overlapping.key }).browsers.list())).toBeInstanceOf(
      AuthenticationError,
    );
    await service.kernel({ apiKey: successor.key }).browsers.list();
  });

  test("separates and limits projects", async () => {
    const organization = await service.createOrganization({ max_concurrent_sessions: 4 });
    const kernel = service.kernel(organization);
    const project = await kernel.projects.create({ name: "staging" });
    expect(await kernel.projects.retrieve("staging")).toEqual(project);
    const names = (await Array.fromAsync(kernel.projects.list({ limit: 1 }))).map(({ name }) => name);
    expect(names).toEqual(["staging", "Default"]);
    const staging = service.kernel({ ...organization, projectID: project.id });
    const profile = await staging.profiles.create({ name: "login" });
    expect(await Array.fromAsync(kernel.profiles.list())).toEqual([]);
    expect(await errorOf(kernel.profiles.retrieve(profile.id))).toBeInstanceOf(NotFoundError);

    expect(await kernel.projects.limits.update(project.id, { max_concurrent_sessions: 1 })).toMatchObject({
      max_concurrent_sessions: 1,
      max_concurrent_invocations: null,
    });
    expect(await kernel.projects.limits.retrieve(project.id)).toMatchObject({ max_concurrent_sessions: 1 });
    const limits = await kernel.organization.limits.update({ default_project_max_concurrent_sessions: 2 });
    expect(limits).toMatchObject({ max_concurrent_sessions: 4, default_project_max_concurrent_sessions: 2 });
    const { session_id } = await staging.browsers.create();
    expect(await errorOf(staging.browsers.create())).toBeInstanceOf(RateLimitError);

    const reader = await kernel.apiKeys.create({ name: "reader", project_id: project.id });
    service.keepSecret(reader.key);
    expect(reader).toMatchObject({ project_id: project.id, project_name: "staging" });
    const ofProject = service.kernel({ apiKey: reader.key });
    expect((await Array.fromAsync(ofProject.browsers.list())).map((each) => each.session_id)).toEqual([
      session_id,
    ]);

    const refused = await errorOf(kernel.projects.delete(project.id));
    expect(refused).toBeInstanceOf(ConflictError);
    expect(refused.error).toMatchObject({ code: "project_not_empty" });
    await staging.browsers.deleteByID(session_id);
    await staging.profiles.delete(profile.id);
    const renamed = await kernel.projects.update(project.id, { name: "renamed", status: "archived" });
    expect(renamed).toMatchObject({ name: "renamed", status: "archived" });
    expect((await errorOf(staging.browsers.list())).error).toMatchObject({ code: "project_not_found" });
    await kernel.projects.delete(project.id);
    expect(await errorOf(kernel.projects.retrieve(project.id))).toBeInstanceOf(NotFoundError);
  });

  test("gives a key for reading sessions without addresses", async () => {
    const kernel = service.kernel(await service.createOrganization());
    const { session_id } = await kernel.browsers.create();
    const created = await kernel.post<{ key: string }>("/org/api_keys", {
      body: { name: "reader", access: "read" },
    });
    service.keepSecret(created.key);
    const reader = service.kernel({ apiKey: created.key });
    const session = await reader.browsers.retrieve(session_id);
    expect(session).toMatchObject({ session_id, cdp_ws_url: "", webdriver_ws_url: "" });
    expect(await errorOf(reader.browsers.create())).toBeInstanceOf(PermissionDeniedError);
    await kernel.browsers.deleteByID(session_id);
  });

  test("cannot delete the key of the request", async () => {
    const kernel = service.kernel(await service.createOrganization());
    const [own] = await Array.fromAsync(kernel.apiKeys.list());
    const error = await errorOf(kernel.apiKeys.delete(own?.id ?? "none"));
    expect(error).toBeInstanceOf(BadRequestError);
    expect(error.error).toMatchObject({ code: "cannot_delete_current_key" });
    await kernel.browsers.list();
  });
});
