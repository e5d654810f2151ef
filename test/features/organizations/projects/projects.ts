import { projectSchema } from "../../../../src/api/projects/schema.ts";
import { createdAPIKeySchema } from "../../../../src/features/organizations/api-keys/schema.ts";
import { Client } from "../../../api.ts";

let projects = 0;

export async function createProject(client: Client, name = `project ${++projects}`) {
  return (await client.post("/org/projects", { name })).read(projectSchema);
}

/** A client with a new key of the organization. */
export async function createKey(client: Client, body: object = {}): Promise<Client> {
  const { key, id } = (await client.post("/org/api_keys", { name: "key", ...body })).read(
    createdAPIKeySchema,
  );
  return new Client(key, client.organizationId, id);
}
