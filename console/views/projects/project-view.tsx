import { useRoute } from "preact-iso";
import { api, read } from "../../api/client.ts";
import { useLoad } from "../../api/hooks.ts";
import { useIdentity } from "../../app/identity.ts";
import { type Project, useProjects } from "../../app/projects.tsx";
import { Button } from "../../ui/button.tsx";
import { CopyText } from "../../ui/copy.tsx";
import { ConfirmButton, FormButton } from "../../ui/dialog-button.tsx";
import { Facts } from "../../ui/facts.tsx";
import { type FormValues, TextField } from "../../ui/form.tsx";
import { Section } from "../../ui/page.tsx";
import { ResourcePage } from "../../ui/resource-page.tsx";
import { Time } from "../../ui/time.tsx";
import { ProjectState } from "./project-list.tsx";

const LIMITS = [
  ["max_concurrent_sessions", "Maximum of browsers", "Sessions, and the sizes of pools."],
  ["max_concurrent_invocations", "Maximum of invocations", "Those that are not finished."],
] as const;

export function ProjectView() {
  const { id = "" } = useRoute().params;
  const identity = useIdentity();
  const projects = useProjects();
  const params = { path: { id } };
  const resource = useLoad(`/org/projects/${id}`, async (signal) => {
    const [project, limits] = await Promise.all([
      read(api.GET("/org/projects/{id}", { params, signal })),
      read(api.GET("/org/projects/{id}/limits", { params, signal })),
    ]);
    return { ...project, limits };
  });
  const reload = () => {
    resource.reload();
    projects.reload();
  };
  const change = async (body: { name: string } | { status: Project["status"] }) => {
    await read(api.PATCH("/org/projects/{id}", { params, body }));
    reload();
  };
  const remove = async () => {
    await read(api.DELETE("/org/projects/{id}", { params }));
    projects.reload();
  };
  const limit = async (values: FormValues) => {
    const body = Object.fromEntries(LIMITS.map(([name]) => [name, values.number(name) ?? null]));
    await read(api.PATCH("/org/projects/{id}/limits", { params, body }));
    reload();
  };
  // Calls that name no project act in it.
  const isDefault = identity.kind === "organization" && identity.organization.id === id;
  return (
    <ResourcePage
      noun="project"
      parent={{ href: "/console/projects", label: "Projects" }}
      status={(project) => <ProjectState {...project} />}
      resource={resource}
      actions={({ name, status, limits }) => (
        <>
          {status === "active" && projects.current?.id !== id && (
            <Button kind="primary" onClick={() => projects.choose(id)}>
              Show it
            </Button>
          )}
          <FormButton
            title={`Limits of “${name}”`}
            confirm="Save"
            submit={limit}
            fields={LIMITS.map(([field, label, hint]) => (
              <TextField
                key={field}
                {...{ label, name: field, hint: `${hint} Empty: no limit of its own.` }}
                type="number"
                value={limits[field]}
              />
            ))}
          >
            Limits
          </FormButton>
          {!isDefault &&
            (status === "active" ? (
              <ConfirmButton
                kind="plain"
                question={`Archive “${name}”?`}
                consequence="Calls that name it, and its API keys, are refused. What runs in it goes on."
                confirm="Archive"
                action={() => change({ status: "archived" })}
              />
            ) : (
              <ConfirmButton
                kind="plain"
                question={`Restore “${name}”?`}
                consequence="Calls and API keys of the project work again."
                confirm="Restore"
                action={() => change({ status: "active" })}
              />
            ))}
        </>
      )}
      rename={(name) => change({ name })}
      remove={isDefault ? undefined : remove}
      consequence="This works only while it has no sessions, pools, profiles, proxies, extensions, deployments and invocations. Its API keys stop working."
    >
      {({ limits, created_at, updated_at }) => (
        <Section title="Project">
          <Facts
            facts={[
              ["Id", <CopyText text={id} what="the project's id" />],
              ["Default", isDefault && "Calls that name no project act in it"],
              ...LIMITS.map(([field, label]) => [label, limits[field] ?? "No limit of its own"] as const),
              ["Created", <Time at={created_at} />],
              ["Last changed", <Time at={updated_at} />],
              ["API keys", <a href="/console/api-keys">A key can be restricted to one project</a>],
            ]}
          />
        </Section>
      )}
    </ResourcePage>
  );
}
