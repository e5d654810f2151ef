import { useLocation, useRoute } from "preact-iso";
import { api, read, readPage } from "../../api/client.ts";
import { useLoad } from "../../api/hooks.ts";
import { useIdentity } from "../../app/identity.ts";
import { type Project, useProjects } from "../../app/projects.tsx";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { CopyText } from "../../ui/copy.tsx";
import { ConfirmButton, FormButton, NameButton } from "../../ui/dialog-button.tsx";
import { Facts } from "../../ui/facts.tsx";
import { type FormValues, TextField } from "../../ui/form.tsx";
import { Section } from "../../ui/page.tsx";
import { ResourceList } from "../../ui/resource-list.tsx";
import { ResourcePage } from "../../ui/resource-page.tsx";
import type { Column } from "../../ui/table.tsx";
import { Time } from "../../ui/time.tsx";

const COLUMNS: Column<Project>[] = [
  { title: "State", cell: (project) => <ProjectState {...project} /> },
  { title: "Created", cell: ({ created_at }) => <Time at={created_at} /> },
];

const LIMITS = [
  ["max_concurrent_sessions", "Maximum browsers", "Sessions, plus the sizes of pools."],
  ["max_concurrent_invocations", "Maximum invocations", "Unfinished invocations."],
] as const;

export function ProjectList() {
  const { route } = useLocation();
  const { reload } = useProjects();
  const create = async (name: string) => {
    const { id } = await read(api.POST("/org/projects", { body: { name } }));
    reload();
    route(`/console/projects/${id}`);
  };
  return (
    <ResourceList
      title="Projects"
      noun="project"
      href="/console/projects"
      about="A project has its own sessions, pools, profiles, proxies, extensions and apps. The console shows one project at a time."
      advice="Every organization has a default project."
      action={<NameButton kind="primary" title="New project" confirm="Create" submit={create} />}
      load={(query, signal) => readPage(api.GET("/org/projects", { params: { query }, signal }))}
      columns={COLUMNS}
    />
  );
}

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
  const change = async (body: { name: string } | { status: Project["status"] }) => {
    await read(api.PATCH("/org/projects/{id}", { params, body }));
    resource.reload();
    projects.reload();
  };
  const limit = async (values: FormValues) => {
    const body = Object.fromEntries(LIMITS.map(([name]) => [name, values.number(name) ?? null]));
    await read(api.PATCH("/org/projects/{id}/limits", { params, body }));
    resource.reload();
  };
  // Calls that name no project act in it.
  const isDefault = identity.kind === "organization" && identity.organization.id === id;
  const remove = () => read(api.DELETE("/org/projects/{id}", { params })).then(projects.reload);
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
              Switch to this project
            </Button>
          )}
          <FormButton
            title={`Limits of “${name}”`}
            confirm="Save"
            submit={limit}
            fields={LIMITS.map(([name, label, hint]) => (
              <TextField
                key={name}
                {...{ name, label, hint: `${hint} Empty: no limit of its own.` }}
                type="number"
                value={limits[name]}
              />
            ))}
          >
            Limits
          </FormButton>
          {!isDefault && <ArchiveButton isActive={status === "active"} {...{ name, change }} />}
        </>
      )}
      rename={(name) => change({ name })}
      remove={isDefault ? undefined : remove}
      consequence="This works only if it has no sessions, pools, profiles, proxies, extensions, deployments or invocations. Its API keys stop working."
    >
      {({ limits, created_at, updated_at }) => (
        <Section title="Project">
          <Facts
            facts={[
              ["Id", <CopyText text={id} what="the project's id" />],
              ["Default", isDefault && "Used by calls that name no project"],
              ...LIMITS.map(([name, label]) => [label, limits[name] ?? "No limit of its own"] as const),
              ["Created", <Time at={created_at} />],
              ["Last changed", <Time at={updated_at} />],
            ]}
          />
        </Section>
      )}
    </ResourcePage>
  );
}

function ProjectState({ id, status }: Project) {
  const { current } = useProjects();
  if (status === "archived") return <Badge tone="warn">Archived</Badge>;
  return <Badge tone="good">{current?.id === id ? "Active, shown now" : "Active"}</Badge>;
}

interface ArchiveButtonProps {
  name: string;
  isActive: boolean;
  change: (body: { status: Project["status"] }) => Promise<void>;
}

function ArchiveButton({ name, isActive, change }: ArchiveButtonProps) {
  const verb = isActive ? "Archive" : "Restore";
  return (
    <ConfirmButton
      kind="plain"
      question={`${verb} “${name}”?`}
      consequence={
        isActive
          ? "Its API keys, and calls that name it, will be refused. Whatever is running in it continues."
          : "Its API keys, and calls that name it, will work again."
      }
      confirm={verb}
      action={() => change({ status: isActive ? "archived" : "active" })}
    />
  );
}
