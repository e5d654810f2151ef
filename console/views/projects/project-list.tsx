import { useLocation } from "preact-iso";
import { api, read, readPage } from "../../api/client.ts";
import { type Project, useProjects } from "../../app/projects.tsx";
import { Badge } from "../../ui/badge.tsx";
import { NameButton } from "../../ui/dialog-button.tsx";
import { ResourceList } from "../../ui/resource-list.tsx";
import type { Column } from "../../ui/table.tsx";
import { Time } from "../../ui/time.tsx";
import { showToast } from "../../ui/toast.tsx";

const COLUMNS: Column<Project>[] = [
  { title: "State", cell: (project) => <ProjectState {...project} /> },
  { title: "Created", cell: ({ created_at }) => <Time at={created_at} /> },
  { title: "Last changed", cell: ({ updated_at }) => <Time at={updated_at} /> },
];

export function ProjectList() {
  const { route } = useLocation();
  const { reload } = useProjects();
  const create = async (name: string) => {
    const { id } = await read(api.POST("/org/projects", { body: { name } }));
    showToast(`The project “${name}” was created.`);
    reload();
    route(`/console/projects/${id}`);
  };
  return (
    <ResourceList
      title="Projects"
      noun="project"
      href="/console/projects"
      about="A project has sessions, pools, profiles, proxies, extensions and apps of its own. The console shows those of one project at a time."
      advice="Every organization has a default project."
      action={<NameButton kind="primary" title="New project" confirm="Create" submit={create} />}
      load={(query, signal) => readPage(api.GET("/org/projects", { params: { query }, signal }))}
      columns={COLUMNS}
    />
  );
}

export function ProjectState({ id, status }: Project) {
  const { current } = useProjects();
  if (status === "archived") return <Badge tone="warn">Archived</Badge>;
  return <Badge tone="good">{current?.id === id ? "Active, shown now" : "Active"}</Badge>;
}
